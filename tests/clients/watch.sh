# A boto3 program writes through `pksk serve`; panels on other terminals show its records, heat and
# collections, by the endpoint and by the socket of the store. Prints "N passed, N failed".
#   watch.sh STORE
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/tmux.sh
store=$1

# writes N: item n of the order of USER#7
write() {
    /usr/bin/python3 tests/clients/watch_writer.py "$1" || problem="${problem:-the writer failed}"
}

write create
start 110 32 "$PKSK panel --endpoint $PKSK_ENDPOINT --table Watched"
wait_for '^ Watched · on demand · '
write 1
wait_for 'INSERT.*USER#7 ORDER#1'
case_ok 'by the endpoint: its record'
keys F3
wait_for 'USER#7'
wait_for 'ORDER#1 .*total 10'
write 2
wait_for 'ORDER#2 .*total 20'
case_ok 'by the endpoint: its collection grows'
keys F2
write many
wait_for '[1-9][0-9]*/s'
case_ok 'by the endpoint: heat'
keys q

start 110 32 "$PKSK panel --table Watched $store"
wait_for '^ Watched · on demand · '
write 3
wait_for 'INSERT.*USER#7 ORDER#3'
keys F3
wait_for 'USER#'
keys /
typed 'user#7'
keys Enter
wait_for 'ORDER#3 .*total 30'
case_ok 'by the socket'
keys q

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
