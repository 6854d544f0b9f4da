#!/bin/sh
# The shell on a real terminal: editing, history, completion, Ctrl-C, Ctrl-D, resizing, pasting.
# Prints "N passed, N failed". PKSK names the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/tmux.sh
PKSK=${PKSK:-$PWD/pksk}
need_tmux
store=$home/store
end='; echo "left with $?"; cat'

make_music "$store"

echo '"\e[5~": history-search-backward' >"$home/.inputrc"
start 80 24 "$PKSK $store $end"
wait_for '^pksk 0.1 · store ~/store · 2 tables · type help$'
last_line '^pksk>$'
case_ok 'banner and prompt'

line 'use Music'
last_line '^pksk Music>$'
case_ok 'the prompt names the table'

typed 'qery Acme'
keys C-a Right
typed 'u'
keys C-e
typed ' x'
keys BSpace BSpace Enter
wait_for '^ Acme    日本語     22  x$'
wait_for '^ 2 items · Query'
last_line '^pksk Music>$'
case_ok 'editing in the middle of a line; wide characters keep the table aligned'

cleared
typed 'get Acme 日本語x'
keys BSpace BSpace
typed '語'
keys Enter
wait_for '^ Acme    日本語  x        22$'
last_line '^pksk Music>$'
case_ok 'wide characters are typed and deleted whole'

cleared
line 'SELECT Song'
last_line '^         ;>$'
line 'FROM Music WHERE Artist ='
line "'Acme';"
wait_for '^ 日本語$'
last_line '^pksk Music>$'
case_ok 'a statement of several lines, with a prompt that says what is open'

cleared
line "SELECT Plays FROM Music WHERE Artist = 'Acme' AND Song = 'Blue'"
last_line ';>$'
keys Enter
wait_for '^     1$'
last_line '^pksk Music>$'
case_ok 'an empty line runs what only lacks its semicolon'

cleared
keys Up Up
wait_for "FROM Music WHERE Artist ="
keys C-c
last_line '^pksk Music>$'
keys C-r
typed 'use'
wait_for "use Music"
keys C-c
last_line '^pksk Music>$'
case_ok 'arrows recall whole statements, Ctrl-R searches them'

cleared
typed 'SELECT'
keys PPage
last_line "^pksk Music> SELECT Plays FROM Music WHERE Artist = 'Acme' AND Song = 'Blue'$"
keys PPage
wait_for '^pksk Music> SELECT Song$'
keys NPage
last_line "^pksk Music> SELECT Plays FROM Music WHERE Artist = 'Acme' AND Song = 'Blue'$"
keys C-c
last_line '^pksk Music>$'
keys Up
typed 'x'
keys Up Down
last_line "^pksk Music> SELECT Plays FROM Music WHERE Artist = 'Acme' AND Song = 'Blue'$"
keys C-c
last_line '^pksk Music>$'
typed 'gone'
keys C-_
last_line '^pksk Music>$'
for first in C-a 'C-x C-r'; do # the latter reads the file anew
    keys $first
    typed 'abc'
    keys C-r Right
    typed 'd'
    keys PPage
    typed 'e'
    last_line '^pksk Music> abcde$'
    keys C-_
    last_line '^pksk Music> abcd$'
    keys C-_
    last_line '^pksk Music> abcd$'
    keys C-c
    last_line '^pksk Music>$'
done
case_ok 'Page Up searches for what was typed; undo ends where the history is entered'

cleared
echo 'set history-size 2' >>"$home/.inputrc"
keys C-x C-r Up Up Up Up
last_line "^'Acme';$"
keys C-r
typed 'SELECT'
keys C-r C-r C-r C-c
last_line '^pksk Music>$'
case_ok 'a history that becomes shorter'

cleared
typed 'descr'
keys Tab
last_line '^pksk Music> describe$'
keys C-u
last_line '^pksk Music>$'
typed 'use Mu'
keys Tab Enter
last_line '^pksk Music>$'
typed 'get Ac'
keys Tab
last_line '^pksk Music> get Acme$'
keys C-u
last_line '^pksk Music>$'
line 'put {Artist: Acme, Song: "Gr\u001b]0;x"}; put Acme Green {}'
last_line '^pksk Music>$'
typed 'get Acme Gr'
keys Tab
last_line '^pksk Music> get Acme Green$'
keys C-u
line 'del {Artist: Acme, Song: "Gr\u001b]0;x"}; del Acme Green'
last_line '^pksk Music>$'
typed "read $home/fi"
keys Tab
wait_for "read $home/fill"
keys C-u
case_ok 'completion of commands, tables, key values and files'

cleared
typed 'del Acme Blue'
keys C-c
wait_for '\^C$'
last_line '^pksk Music>$'
typed 'put {'
keys Enter
last_line '{>$'
keys C-c
last_line '^pksk Music>$'
line 'get Acme Blue'
wait_for '^ 1 item '
last_line '^pksk Music>$'
case_ok 'Ctrl-C drops the line and an open statement'

cleared
keys C-r
typed "$(printf '%04000d' 0)"
wait_for '0000000000$'
keys C-c C-c
last_line '^pksk Music>$'
case_ok 'Ctrl-C ends a search that thousands of keys wait for'

cleared
for last in '-3' 'zz' '[[C'; do
    keys C-r C-x
    typed "$(printf '\033')$last"
    keys C-c
    last_line '^pksk Music>$'
done
line 'get Acme Blue'
wait_for '^ 1 item '
case_ok 'a search that keys without a meaning end'

cleared
line 'watch 0 count scan from Big'
wait_for '^ 500 items'
keys C-c
last_line '^pksk Music>$'
line 'get Acme Blue'
wait_for '^ 1 item · GetItem'
last_line '^pksk Music>$'
case_ok 'Ctrl-C ends a running scan, not the shell'

cleared
pasted 'get Acme Blue
get Acme
get Acme Nobody
'
wait_for 'get Acme Nobody'
lacks '1 item'
keys Enter
wait_for 'stopped; 1 statement after it did not run'
wait_for '1 item'
last_line '^pksk Music>$'
case_ok 'a paste waits for Enter and stops at its first error'

cleared
line "put Acme Evil {Note: \"\\u001b[2J\\u001b]0;owned\\u0007\"}"
wait_for '1 WCU'
line 'get Acme Evil'
wait_for 'Evil  \\e\[2J\\e\]0;owned\\x07'
line 'del Acme Evil'
last_line '^pksk Music>$'
case_ok 'escape sequences in items are shown, not obeyed'

cleared
line 'scan from Big'
wait_for '^:$'
lacks '^ 500 items'
keys q
last_line '^pksk Music>$'
case_ok 'a long result goes through the pager'

cleared
line 'drop table Big;'
wait_for '\[y/N\]$'
line 'n'
last_line '^pksk Music>$'
line 'tables'
wait_for '^ Big '
last_line '^pksk Music>$'
case_ok 'dropping a table with items asks first'

cleared
line "put Acme Long {Note: '0123456789012345678901234567890123456789', Other: 1}"
wait_for '1 WCU'
resize 40 15
line 'get Acme Long'
wait_for '^ Acme    Long  01234567890123456…      1$'
resize 1 1
resize 80 24
line 'get Acme Long'
wait_for '^ Acme    Long  0123456789012345678901234567890123456789      1$'
last_line '^pksk Music>$'
case_ok 'tables follow the width; 1x1 does no harm'

cleared
typed 'get Acme Lo'
resize 3 10
typed 'n'
resize 20 10
typed 'g'
last_line '^ Long$'
resize 80 24
last_line '^pksk Music> get Acme Long$'
keys Enter
wait_for '^ Acme    Long  0123456789012345678901234567890123456789      1$'
last_line '^pksk Music>$'
case_ok 'a line that is being typed follows the width'

cleared
line '\! echo from $((40 + 2))'
wait_for '^from 42$'
last_line '^pksk Music>$'
case_ok 'a command of the system'

cleared
line 'begin'
last_line '^pksk Music\*>$'
line 'put Acme Txn {}'
last_line '^pksk Music\*>$'
keys C-d
wait_for 'the open transaction is rolled back'
wait_for '^left with 0$'
equal 'what is in the table' "$("$PKSK" -q --no-init --mode jsonl -c 'get Acme Txn from Music' "$store" 2>/dev/null)" ''
case_ok 'Ctrl-D leaves, and says that it rolls back'

equal 'the mode of the history file' "$(stat -c %a "$home/state/pksk/history")" 600
equal 'its entries of SELECT Song' "$(grep -c '^SELECT Song' "$home/state/pksk/history")" 1
start 80 24 "$PKSK -q $store $end"
last_line '^pksk>$'
keys Up
wait_for 'put Acme Txn {}'
keys C-c
last_line '^pksk>$'
keys C-d
wait_for '^left with 0$'
case_ok 'the history is there again, one entry a statement'

start 80 24 "TERM=dumb $PKSK -q $store $end"
last_line '^pksk>$'
line 'get Acme Blue from Music'
wait_for '^ Acme    Blue'
resize 3 10
typed 'abcdef'
keys C-a
typed ' '
keys C-a
resize 80 24
last_line '^pksk>  abcdef$'
keys C-c
keys C-d
wait_for '^left with 0$'
case_ok 'a dumb terminal, 3 columns wide too'

for locale in LC_ALL=C LC_CTYPE=C LANG=C; do
    start 80 24 "env -u LC_ALL $locale $PKSK -q --memory"
    last_line '^pksk>$'
    line 'create table Tab (k S);'
    last_line '^pksk Tab>$'
    typed 'put 日本語x'
    keys BSpace BSpace
    typed ' {v: 1} ?'
    keys Enter
    wait_for '^  put 日本 {v: 1} ?$'
    wait_for '^                  ^$'
done
case_ok 'a terminal is UTF-8, whatever the locale says'

start 80 24 "$PKSK -q $store $end"
last_line '^pksk>$'
line 'get Acme Blue from Music'
wait_for '^ 1 item'
if ! screen -e | grep -q '^ .\[1mAcme'; then
    problem='keys are not bold'
fi
line 'set color off'
cleared
line 'get Acme Blue from Music'
wait_for '^ 1 item'
if screen -e | grep -q '.\[1mAcme'; then
    problem="${problem:-colours although they are off}"
fi
keys C-d
wait_for '^left with 0$'
case_ok 'colour, and none'

start 80 24 "sh -i"
wait_for '[$#] *$'
line "PS1='job> '; $PKSK -q $store"
last_line '^pksk>$'
typed 'get Acme'
keys C-z
last_line '^job>$'
line 'fg'
wait_for 'get Acme$'
typed ' Blue from Music'
keys Enter
wait_for '^ Acme    Blue'
last_line '^pksk>$'
keys C-d
last_line '^job>$'
case_ok 'Ctrl-Z and back, with the line kept'

# Another process asks for the health text while the prompt is in use.
start 200 24 "$PKSK -q --memory"
last_line '^pksk>$'
line 'serve 0'
wait_for '^ serving http://127.0.0.1:[0-9]*$'
url=$(screen | sed -n 's/^ serving //p')
typed 'put Acme'
[ "$(python3 -c "import urllib.request as u; print(u.urlopen('$url').read().decode(), end='.')")" = \
    'healthy: dynamodb.us-east-1.amazonaws.com .' ] || problem="${problem:-$url does not answer}"
keys C-u
line 'serve stop'
wait_for "^ $url is not served any more$"
cleared
line 'serve 0'
wait_for '^ serving http'
last_line '^pksk>$'
keys C-d
until_true 'the shell does not end while it serves' terminal_ended
case_ok 'serve beside the prompt'

# Traffic goes on while statements run, and the shell leaves at once while it does.
start 110 30 "$PKSK -q --memory $end"
last_line '^pksk>$'
line 'create table Dash (PK S, SK S);'
last_line '^pksk Dash>$'
line 'traffic fill keys=U#{1..100}'
wait_for '^ 100 items into Dash'
line 'traffic start a op=get keys=U#{1..100} rate=5000/s'
wait_for '^ a runs; traffic stop a ends it$'
line 'traffic start b op=put keys=U#{1..100} rate=50/s for=1s'
last_line '^pksk Dash>$'
line 'watch 1 count scan'
wait_for '^ 100 items counted'
keys C-c
last_line '^pksk Dash>$'
looks=0
while ! screen | grep -q '^ traffic b has ended: 50 requests, 0 throttled' && [ "$looks" -lt 100 ]; do
    keys Enter
    looks=$((looks + 1))
    sleep 0.05
done
wait_for '^ traffic b has ended: 50 requests, 0 throttled'
cleared
line 'traffic'
wait_for '^ a  *get  *Dash  *5,000/s .* until stopped'
line 'clock advance 365d'
keys C-c
last_line '^pksk Dash>$'
line 'traffic stop a'
wait_for '^ units .* RCU$'
wait_for '^ latency  *p50 '
last_line '^pksk Dash>$'
line 'traffic start a op=get keys=U#{1..100} rate=5000/s'
wait_for '^ a runs'
last_line '^pksk Dash>$'
keys C-d
wait_for '^left with 0$'
case_ok 'traffic beside the prompt'

start 80 24 "$PKSK -q $store"
last_line '^pksk>$'
typed 'put Acme Half {} into Music'
tm kill-server
until_true "the store is held" opens "$store"
equal 'the half typed item' "$("$PKSK" -q --no-init --mode jsonl -c 'get Acme Half from Music' "$store" 2>&1 | grep -c Half)" 0
equal 'the check' "$("$PKSK" -q --no-init -c check "$store" >/dev/null 2>&1 && echo clean)" clean
case_ok 'the terminal goes away: the store is closed, nothing half typed runs'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
