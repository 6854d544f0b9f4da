#!/bin/sh
# pksk panel on a terminal of its own, beside a shell that holds the store: what is written there
# shows here, through the socket. Prints "N passed, N failed". PKSK names the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/tmux.sh
PKSK=${PKSK:-$PWD/pksk}
need_tmux
store=$home/store
mkdir -m 700 "$store"
mkfifo "$home/statements"

# owner: a shell that holds the store and reads statements from descriptor 3
owner() {
    "$PKSK" -q --no-init --keep-going "$store" <"$home/statements" >"$home/owner" 2>&1 &
    owner=$!
    exec 3>"$home/statements"
}

say() {
    echo "$1" >&3
}

gone() {
    kill "-$1" "$owner" 2>/dev/null
    wait "$owner" 2>/dev/null
    exec 3>&-
}

# answered TEXT: until the shell has printed it
answered() {
    until_true "the shell has not said '$1'" grep -q -e "$1" "$home/owner"
}

start 80 24 "$modes$PKSK panel $home/nowhere$end"
wait_for "^StorageError: there is no store in '$home/nowhere'\$" || :
left 3
case_ok 'a directory that is not there'

# whose process id is in $home/panel
start 100 30 "${modes}sh -c 'echo \$\$ >$home/panel; exec $PKSK panel $store'$end"
wait_for 'connecting: no pksk has the store'
case_ok 'nobody holds the store: that is said, and waited for'

owner
say 'create table dashboard (PK S, SK S);'
say 'create table zebra (id N);'
say 'use dashboard'
wait_for '^ dashboard · on demand · observe · '
lacks 'connecting'
case_ok 'a shell opens the store: the panel is there by itself'

say 'put USER#1 ORDER#1 {total: 5}'
wait_for 'USER#1 ORDER#1'
wait_for 'total – → 5'
say 'put USER#1 ORDER#1 {total: 6}'
wait_for 'total 5 → 6'
case_ok 'a record of the stream, by the write that made it'

keys F3
wait_for 'ORDER#1 .*total 6'
lacks 'ORDER#2'
say 'put USER#1 ORDER#2 {total: 7}'
wait_for 'ORDER#2 .*total 7'
say 'del USER#1 ORDER#1'
wait_out 'ORDER#1 '
case_ok 'a row of its collection comes, and goes, by the write alone'

say 'query USER#1 where total > 6'
wait_for '▌.*ORDER#2'
case_ok 'what the last read returned is lit'

keys F2
wait_for '^  0 0000–3fff '
case_ok 'partitions'

keys F5
wait_for 'no indexes: '
say 'alter table dashboard add gsi by_total (total N);'
wait_for 'by_total'
case_ok 'an index that was not there'

keys F4 f
wait_for 'FROZEN'
say 'put USER#1 ORDER#3 {total: 9}'
answered '^ put .*'
say 'tables'
answered 'dashboard'
lacks 'ORDER#3'
keys f
wait_for 'ORDER#3'
case_ok 'a frozen picture is held, and goes on'

# GetRecords with an iterator, as a consumer calls it; $next is where it goes on
consume() {
    said=$(wc -l <"$home/owner")
    say "api $1"
    looks=0
    until tail -n "+$((said + 1))" "$home/owner" | grep -q "^}" || [ "$looks" -ge "$PATIENCE" ]; do
        looks=$((looks + 1))
        sleep 0.05
    done
    next=$(tail -n "+$((said + 1))" "$home/owner" |
        sed -n 's/.*"\(Next\)\{0,1\}ShardIterator": "\([^"]*\)".*/\2/p')
}
say 'stream on dashboard new_image'
say 'stream shards'
answered '^ 0  shardId-'
say 'put USER#999 ORDER#1 {total: 1}'
wait_for 'USER#999 ORDER#1'
lacks 'reader 1'
shard=$(sed -n 's/^ 0  \(shardId-[^ ]*\) .*/\1/p' "$home/owner")
arn=$(sed -n 's/^ \(arn:aws:dynamodb:.*\/stream\/.*\)/\1/p' "$home/owner")
consume "GetShardIterator {\"StreamArn\": \"$arn\", \"ShardId\": \"$shard\", \"ShardIteratorType\": \"TRIM_HORIZON\"}"
consume "GetRecords {\"ShardIterator\": \"$next\"}"
wait_for '^ reader 1  shard …000001  1[0-9]\{20\}  up to date$'
say 'put USER#999 ORDER#2 {total: 2}'
wait_for '^ reader 1  .* 1 behind, '
consume "GetRecords {\"ShardIterator\": \"$next\"}"
wait_for '^ reader 1  .* up to date$'
case_ok 'who reads the stream, how far it has come, and how far it is behind'

keys t
wait_for '^ zebra · '
keys t
wait_for '^ dashboard · '
case_ok 'the next table'

resize 20 5
resize 1 1
resize 80 24
wait_for '^ dashboard · '
case_ok 'any size'

keys F3
wait_for 'ORDER#3'
panel=$(cat "$home/panel")
kill -STOP "$panel"
until_true 'the panel is not stopped' grep -q '^State:[[:space:]]*T' "/proc/$panel/status"
i=0
while [ $i -lt 200 ]; do
    echo "put STOPPED k$i {v: $i}"
    i=$((i + 1))
done >&3
say 'get STOPPED k199'
answered 'STOPPED  k199  199'
case_ok 'a stopped panel holds nobody up'
kill -CONT "$panel"
keys / STOPPED Enter
wait_for 'STOPPED'
case_ok 'and goes on when it may'

gone KILL
wait_for 'connecting: '
[ -S "$store/panel.sock" ] || problem="${problem:-the socket of a killed shell is gone}"
keys F4
owner
wait_out 'connecting'
say 'put BACK k {v: 1} into dashboard'
wait_for 'BACK k'
case_ok 'the shell is killed; the next one takes over, and the panel with it'

gone TERM
wait_for 'connecting: '
[ -e "$store/panel.sock" ] && problem="${problem:-the socket is left behind}"
keys q
left 0
case_ok 'q leaves the terminal as it was'

start 80 24 "$modes$PKSK panel $store$end"
wait_for 'connecting'
keys C-c
left 0
case_ok 'Ctrl-C leaves, too'

owner
say 'put BEFORE k {v: 1} into dashboard'
answered '^ put '
start 80 24 "$modes$PKSK panel $store$end"
wait_for 'INSERT BEFORE k'
keys q
left 0
gone TERM
case_ok 'the stream begins with the last changes of before'

start 80 24 "TERM=dumb $PKSK panel $store$end"
wait_for '^left with 2$'
case_ok 'a terminal that cannot draw'

"$PKSK" panel "$store" >"$home/out" 2>&1 </dev/null
equal 'the status without a terminal' "$?" 2
case_ok 'no terminal'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
