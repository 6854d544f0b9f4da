#!/bin/sh
# The panel in one terminal, on a real one: on and off, the prompt in it, signals, sizes, terminals
# that cannot have it. Prints "N passed, N failed". PKSK names the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/tmux.sh
PKSK=${PKSK:-$PWD/pksk}
need_tmux
store=$home/store
# as "$PKSK -q $store", with its process id in a file
pksk_pid="sh -c 'echo \$\$ >$home/pid; exec $PKSK -q $store'"

# on: the panel is there
on() {
    wait_for '^─ output '
}

line_is() {
    [ "$(screen | sed '/^$/d' | tail -n 1)" = "$1" ]
}

# prompt TEXT: until the line being typed is exactly that
prompt() {
    until_true "the line is not '$1'" line_is "$1"
}

view_shows() {
    screen | sed '/^─ output/,$d' | grep -q -e "$1"
}

# view PATTERN: until the rows above the output have a line that matches
view() {
    until_true "no line like '$1' in the view" view_shows "$1"
}

# view_lacks PATTERN
view_lacks() {
    if view_shows "$1"; then
        problem="${problem:-'$1' should not be in the view:
$(screen)}"
    fi
}

# cursor: "column row" of the terminal's cursor
cursor() {
    tm display-message -p -t 0 '#{cursor_x} #{cursor_y}'
}

make_music "$store"

start 80 24 "${modes}$PKSK -q $store$end"
prompt 'pksk>'
line 'use Music'
prompt 'pksk Music>'
keys F9
on
prompt 'pksk Music>'
equal 'the place of the cursor' "$(cursor)" '12 23'
line 'get Acme Blue'
wait_for '^ 1 item · GetItem'
wait_for '^pksk Music> get Acme Blue$'
prompt 'pksk Music>'
keys F9
wait_for '^pksk> use Music$'
lacks '─ output ─'
lacks '1 item'
prompt 'pksk Music>'
case_ok 'F9 splits the terminal, and gives back what was there'

typed 'get Acme'
keys F9
on
prompt 'pksk Music> get Acme'
keys Left Left
typed 'X'
keys F9
wait_for '^pksk> use Music$'
prompt 'pksk Music> get AcXme'
keys BSpace
keys F9
on
prompt 'pksk Music> get Acme'
typed ' Blue'
keys Enter
wait_for '^ 1 item'
lacks 'Error'
case_ok 'what is half typed is kept both ways, with the cursor in it'

line 'panel off'
wait_for '^pksk> use Music$'
lacks '─ output ─'
line 'panel heat'
on
line 'panel stream'
prompt 'pksk Music>'
line "panel save $home/picture"
wait_for "the screen is in $home/picture"
equal 'the rows that are saved' "$(wc -l <"$home/picture")" 24
equal 'the title in it' "$(grep -c '^─ output ─' "$home/picture")" 1
line 'panel foo'
wait_for 'expected on, off, heat, collections, stream, indexes, split or save'
line 'panel off'
wait_for '^pksk> use Music$'
line "panel save $home/picture"
wait_for 'the panel is not on, so there is no screen to save'
case_ok 'the command panel'

cleared
line 'traffic start busy op=get keys=USER#{1..9} sk=a rate=500/s'
prompt 'pksk Music>'
n=0
while [ $n -lt 20 ] && [ -z "$problem" ]; do
    keys F9
    on
    keys F9
    wait_for 'traffic start busy'
    n=$((n + 1))
done
line 'traffic stop busy'
wait_for '^ requests '
prompt 'pksk Music>'
case_ok 'on and off twenty times while traffic runs'

cleared
keys F9
on
keys C-l
typed 'qery Acme'
keys C-a Right
typed 'u'
keys C-e
typed ' x'
keys BSpace BSpace Enter
wait_for '^ Acme    日本語     22  x$'
typed 'get Acme 日本語x'
prompt 'pksk Music> get Acme 日本語x'
keys BSpace BSpace
prompt 'pksk Music> get Acme 日本'
equal 'the place of the cursor' "$(cursor)" '25 23'
typed '語'
keys Enter
wait_for '^ 1 item'
keys Up Up
prompt 'pksk Music> query Acme'
keys C-c
wait_for '^pksk Music> query Acme^C$'
keys C-r
typed '日'
wait_for "(reverse-i-search)\`日': get Acme 日本語"
keys F3
wait_for "(reverse-i-search)\`日': get Acme 日本語"
keys C-c
prompt 'pksk Music>'
case_ok 'editing, history, Ctrl-R and wide characters'

typed 'descr'
keys Tab
prompt 'pksk Music> describe'
keys C-u
typed 'c'
keys Tab Tab
wait_for '^calc  *capacity  *check '
prompt 'pksk Music> c'
keys C-u
pasted 'get Acme Blue
get Acme Nobody'
wait_for 'get Acme Blue^Jget Acme Nobody'
keys Enter
wait_for '^get Acme Nobody$'
wait_for '^ 0 items'
prompt 'pksk Music>'
pasted "$(printf '\033[15~R')"
keys C-u
typed 'x0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789y'
prompt '789012345678901234567890123456789y'
wait_for '^pksk Music> x0123456789'
keys C-u
prompt 'pksk Music>'
case_ok 'completion with a list, a paste of two lines, a line of several rows'

line 'scan from Big'
wait_for '^ 500 items\|more$\| more '
prompt 'pksk Music>'
keys PageUp
wait_for 'more rows below: PgDn'
keys PageUp PageUp PageUp PageUp
typed 'get Acme Blue'
wait_for 'more rows below: PgDn'
keys Enter
wait_for '^ 1 item · GetItem'
lacks 'more rows below'
case_ok 'the output scrolls, and follows again when a line is entered'

keys C-l
line 'watch 0 count scan from Big'
wait_for '^ 500 items'
typed 'get Acme'
prompt 'pksk Music> get Acme'
wait_for 'running, Ctrl-C stops it'
keys C-c
prompt 'pksk Music>'
keys C-l
line 'watch 0 times 3000 count scan from Big'
wait_for '^ 500 items'
line 'get Acme Blue'
wait_for '^ 1 item · GetItem'
prompt 'pksk Music>'
case_ok 'a line typed while a statement runs comes next; Ctrl-C ends the statement'

keys C-l
line 'drop table Big;'
prompt ' table Big holds 500 items; drop it? [y/N]'
keys F9
typed 'n'
prompt ' table Big holds 500 items; drop it? [y/N] n'
keys Enter
prompt 'pksk Music>'
line 'tables'
wait_for '^ Big '
line '\! echo from $((40 + 2))'
wait_for '^from 42$'
wait_for 'press Enter to go back to the panel'
keys Enter
on
prompt 'pksk Music>'
case_ok 'a question, and a command of the system'

for size in '40 12' '1 1' '200 60' '24 10' '23 9' '3 2' '300 100' '1 40' '80 1' '80 24'; do
    # shellcheck disable=SC2086
    resize $size
done
on
typed 'get Acme Blue'
prompt 'pksk Music> get Acme Blue'
keys Enter
wait_for '^ 1 item · GetItem'
resize 23 9
wait_for 'the panel n'
resize 80 24
on
prompt 'pksk Music>'
equal 'what of the output is above its title' "$(screen | sed '/^─ output/,$d' | grep -c Artist)" 0
case_ok 'sizes from 1x1 to 300x100 and back'

keys F7
wait_for 'KEYS HERE'
typed 'scan'
keys Escape
wait_out 'KEYS HERE'
prompt 'pksk Music>'
keys F7
wait_for 'KEYS HERE'
typed R
wait_for '^ Reset: stop all traffic'
typed n
keys F7
typed 'get'
prompt 'pksk Music> get'
keys C-u
case_ok 'F7 puts keys into the view, Escape takes them back'

keys F9
wait_for '^from 42'
line 'traffic start busy op=get keys=USER#{1..9} sk=a rate=1000/s'
keys F9
on
keys F7
wait_for 'KEYS HERE'
typed '+'
wait_for '^ traffic set busy rate=2000/s$'
typed '-'
wait_for '^ traffic set busy rate=1000/s$'
typed 's'
wait_for '^ traffic set busy skew=zipf(1.2)$'
keys F7
line 'traffic start calm op=get keys=USER#{1..9} sk=a rate=10/s'
keys F7
wait_for ' ›busy 1,000/s · 1 of 2$'
typed 'T'
wait_for ' ›calm 10/s · 2 of 2$'
typed '+'
wait_for '^ traffic set calm rate=20/s$'
wait_for ' ›calm 20/s · 2 of 2$'
keys F7
line 'traffic stop calm'
wait_for '^ calm: get on Music'
keys F7
wait_for 'KEYS HERE'
typed 'R'
wait_for '^ Reset: stop all traffic'
typed 'y'
wait_for '^ traffic stop$'
keys F7
line 'traffic'
prompt 'pksk Music>'
case_ok 'knobs of a traffic are the statements one would type'

keys C-d
left 0
case_ok 'Ctrl-D leaves, and the modes of the terminal are as before'

start 80 24 "sh -i"
wait_for '[$#] *$'
line "PS1='job> '; $PKSK -q $store"
prompt 'pksk>'
keys F9
on
typed 'get Acme'
prompt 'pksk> get Acme'
keys C-z
last_line '^job>$'
lacks '─ output ─'
resize 100 30
line 'fg'
on
prompt 'pksk> get Acme'
equal 'the place of the cursor' "$(cursor)" '14 29'
typed ' Blue from Music'
keys Enter
wait_for '^ 1 item · GetItem'
line 'watch 0 count scan from Big'
wait_for '^ 500 items'
keys C-z
last_line '^job>$'
line 'fg'
on
wait_for '^ 500 items'
keys C-c
prompt 'pksk>'
keys C-d
last_line '^job>$'
case_ok 'Ctrl-Z and back, with another size, also while a statement runs'

for way in 'TERM=dumb' 'TERM=no-such-terminal' 'TERM=' 'env -u TERM'; do
    start 80 24 "${modes}$way $PKSK -q $store$end"
    prompt 'pksk>'
    line 'panel'
    wait_for 'the panel cannot be drawn here: '
    line 'get Acme Blue from Music'
    wait_for '^ Acme    Blue'
    keys C-d
    left 0
done
equal 'what a script gets' "$("$PKSK" -q --no-init --memory -c 'panel' 2>&1)" \
    'UsageError: the panel needs a prompt, and this is none'
case_ok 'terminals that cannot have it: a clear message, and the prompt works'

start 80 24 "$PKSK -q $store"
prompt 'pksk>'
line 'panel'
on
line 'set symbols ascii'
wait_for '^- output -'
line 'get Acme Blue from Music'
wait_for '^ 1 item'
if screen | LC_ALL=C grep -q '[^ -~]'; then
    problem="${problem:-not only ASCII:
$(screen)}"
fi
case_ok 'ASCII symbols'

start 80 24 "env NO_COLOR=1 $PKSK -q $store"
prompt 'pksk>'
line 'panel'
on
if screen -e | grep -q '\[[0-9;]*[34][0-8][;m]'; then
    problem="${problem:-colours although NO_COLOR is set}"
fi
case_ok 'no colours with NO_COLOR'

start 100 30 "$PKSK -q --memory"
prompt 'pksk>'
line 'create table Wide (PK S) provisioned 1 400000;'
line 'panel heat'
view '─ 401 partitions · 0 items'
view_lacks '^ *375 '
line 'watch 0.2 times 100 put E {n: 1}'
view '^375 ef66–f00a '
view '─ by key ─.* of 401 · '
keys C-c
prompt 'pksk Wide>'
case_ok 'heat: the hottest of all partitions is on top, wherever it is'

# Every view shows what only the statement before it can have changed.
start 100 30 "$PKSK -q --memory"
prompt 'pksk>'
line 'panel heat'
view 'no table yet'
line 'create table Live (PK S, SK S);'
prompt 'pksk Live>'
view '4 partitions · 0 items'
line 'put USER#123 A {v: 1}'
view '4 partitions · 1 item'
view '^  1 4000–7fff .*  1  *1[0-9]'
line 'get USER#999 A'
view '^ Live .*GetItem · partition 0 of 4'
case_ok 'heat: an item counts in the partition of its key'

line 'panel collections'
view '^ USER#123 *1 '
view_lacks 'USER#999'
line 'put USER#123 B {v: 2}; put USER#999 A {v: 3}'
view '^ USER#123 *2 '
view '^ USER#999 *1 '
line 'query USER#123 B where v = 2'
view '^ ▌ B '
view_lacks '^ ▌ A '
case_ok 'collections: items under their key, and what was read is marked'

line 'panel stream'
view 'no changes since'
# it has what changes after the first look, which is a moment after the view is there
line 'watch 0.2 times 100 edit USER#999 A set v = v + 1'
view 'MODIFY USER#999 A .*v [0-9]* → [0-9]*'
keys C-c
prompt 'pksk Live>'
line 'del USER#999 A'
view 'REMOVE USER#999 A'
case_ok 'stream: each change with what it changed'

line 'alter table Live add gsi by_v (v N);'
line 'panel indexes'
view '^ items  *2  *2$'
line 'del USER#123 A'
view '^ items  *1  *1$'
case_ok 'indexes: the table and its index side by side'

line 'panel split'
view '^─ collections ─.*┬─ stream ─'
prompt 'pksk Live>'
line 'put USER#5 A {}'
view 'INSERT USER#5 A'
view '^ USER#5 *1 '
keys F7
view 'KEYS HERE'
typed 'f'
view 'FROZEN'
keys F7
line 'put USER#6 A {}'
wait_for '^ put · partition'
view_lacks 'USER#6'
keys F7
typed 'f'
view 'INSERT USER#6 A'
keys F7
case_ok 'split: all of them at once, and a view that is frozen'

"$PKSK" serve --port 0 --memory >"$home/served" 2>&1 &
server=$!
until_true "the server does not say where it is" test -s "$home/served"
url=$(grep -o 'http://[0-9.:]*' "$home/served" | head -n 1)
start 100 30 "$PKSK -q --memory"
prompt 'pksk>'
line 'panel collections'
line "connect $url"
wait_for '^ http.*, another pksk$'
line 'create table Far (k S);'
wait_for 'Far>$'
line 'put one {v: 1}'
view '^ *one .* v 1'
kill $server
view 'connecting: no answer from'
line 'connect local'
view 'no table yet'
prompt 'pksk>'
case_ok 'the panel follows connect, and says when nobody answers'

mkdir -p "$home/config/pksk"
echo 'panel collections' >"$home/config/pksk/init"
start 80 24 "${modes}$PKSK -q $store$end"
on
view '^─ collections ─'
prompt 'pksk>'
keys C-d
left 0
rm "$home/config/pksk/init"
case_ok 'panel in the init file'

# the terminal goes away while the panel is on and a statement runs
start 80 24 "$PKSK -q $store"
prompt 'pksk>'
keys F9
on
line 'watch 0 count scan from Big'
wait_for '^ 500 items'
typed 'put Acme Half {} into Music'
tm kill-server
until_true "the store is held" opens "$store"
equal 'the half typed item' "$("$PKSK" -q --no-init --mode jsonl -c 'get Acme Half from Music' "$store" 2>&1 | grep -c Half)" 0
equal 'the check' "$("$PKSK" -q --no-init -c check "$store" >/dev/null 2>&1 && echo clean)" clean
case_ok 'the terminal goes away: the store is closed, nothing half typed runs'

# what ends by a mistake of ours puts the terminal back
start 80 24 "ulimit -c 0; ${modes}$pksk_pid$end"
prompt 'pksk>'
keys F9
on
kill -ABRT "$(cat "$home/pid")"
left 134
lacks '─ output '
start 80 24 "${modes}$pksk_pid$end"
prompt 'pksk>'
keys F9
on
kill -TERM "$(cat "$home/pid")"
left 143
case_ok 'an abort and SIGTERM give the terminal back'

# kill -9 leaves the terminal as it is; reset is what mends it
start 80 24 "sh -i"
wait_for '[$#] *$'
line "PS1='job> '; $pksk_pid"
prompt 'pksk>'
keys F9
on
kill -9 "$(cat "$home/pid")"
wait_for 'job>$\|Killed'
line 'reset'
last_line '^job>$'
line 'echo "as $((1 + 1)) before"'
wait_for '^as 2 before$'
lacks '─ output ─'
case_ok 'kill -9, then reset'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
