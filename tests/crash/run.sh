#!/bin/sh
# The bad days: kills under load, a full disk, a damaged table file, a lost MANIFEST.
#   run.sh BUILD-DIR        CRASH_ROUNDS kills (default 200), half as many of a server, a fifth as
#                           many of a change log, of splits and with recorded histories, and a
#                           tenth as many orderly ends of a server
set -u
build=$1
pksk=$build/pksk
work=$(mktemp -d)
mounted=
cleanup() {
    [ -z "$mounted" ] || umount "$mounted" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); echo "ok      $1"; }
bad() {
    failed=$((failed + 1))
    echo "FAILED  $1"
    [ -z "${2:-}" ] || sed 's/^/        /' "$2" | tail -n 15
}
# expect NAME FILE PATTERN: the file has a line that matches
expect() { if grep -qE "$3" "$2"; then ok "$1"; else bad "$1 (no line matches $3)" "$2"; fi; }

kills() {
    if "$build/tests/crash/crash_kill" "${CRASH_ROUNDS:-200}" >"$work/kills" 2>&1; then
        ok "$(sed -n 's/^crash: \(.*acknowledged\)/\1/p' "$work/kills"), ${CRASH_ROUNDS:-200} kills, nothing lost"
    else
        bad 'kill -9 under load' "$work/kills"
    fi
}

backup_kills() {
    rounds=$(( (${CRASH_ROUNDS:-200} + 4) / 5 ))
    if "$build/tests/crash/crash_backup" "$rounds" >"$work/backup" 2>&1; then
        ok "$(sed -n 's/^crash_backup: //p' "$work/backup"): all whole, none half there"
    else
        bad 'kill -9 while backups are made and restored' "$work/backup"
    fi
}

log_kills() {
    rounds=$(( (${CRASH_ROUNDS:-200} + 4) / 5 ))
    if "$build/tests/crash/crash_log" "$rounds" >"$work/log" 2>&1; then
        ok "$(sed -n 's/^crash_log: //p' "$work/log"): indexes and replayed stream equal the table"
    else
        bad 'kill -9 while indexes and a stream follow' "$work/log"
    fi
}

# served MODE ROUNDS WHAT
served() {
    if PKSK=$pksk "$build/tests/crash/crash_http" "$1" "$2" >"$work/http" 2>&1; then
        ok "$3, $2 times: $(sed -n 's/^crash_http: [a-z]*: //p' "$work/http")"
    else
        bad "$3" "$work/http"
    fi
}

split_kills() {
    rounds=$(( (${CRASH_ROUNDS:-200} + 4) / 5 ))
    if "$build/tests/crash/crash_split" "$rounds" >"$work/split" 2>&1; then
        ok "$(sed -n 's/^crash_split: //p' "$work/split"): nothing lost, partitions, shards and figures agree"
    else
        bad 'kill -9 while partitions are split' "$work/split"
    fi
}

http_ends() {
    served kill $(( (${CRASH_ROUNDS:-200} + 1) / 2 )) 'kill -9 of a server under 16 clients'
    served term $(( (${CRASH_ROUNDS:-200} + 9) / 10 )) 'SIGTERM of a server under 16 clients'
    served stop $(( (${CRASH_ROUNDS:-200} + 9) / 10 )) 'serve stop under 16 clients'
    served shell $(( (${CRASH_ROUNDS:-200} + 9) / 10 )) 'SIGTERM of a shell that serves 16 clients'
}

histories() {
    rounds=$(( (${CRASH_ROUNDS:-200} + 4) / 5 ))
    if PKSK=$pksk "$build/tests/crash/crash_history" "$rounds" >"$work/histories" 2>&1; then
        ok "histories across $rounds kills are linearizable: $(sed -n 's/^crash_history: //p' "$work/histories")"
    else
        bad 'histories across kills' "$work/histories"
    fi
}

full_disk() {
    mkdir "$work/disk"
    if ! mount -t tmpfs -o size=12m tmpfs "$work/disk" 2>/dev/null; then
        skipped=$((skipped + 1))
        echo 'skipped full disk: a tmpfs cannot be mounted here'
        return
    fi
    mounted=$work/disk
    # the text must not compress to nothing: random letters
    python3 -c '
import random
random.seed(1)
print("create table rows (PK string, SK number);")
for i in range(400):
    print("put A %d {body: \x27%s\x27}" % (i, "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=100000))))
print("count query A")
' >"$work/fill.pksk"
    "$pksk" --no-init --keep-going "$work/disk/store" -f "$work/fill.pksk" >"$work/out" 2>&1
    expect 'a full disk fails the statement with the reason' "$work/out" 'StorageError: .*[Nn]o space left'
    expect 'what was written before is read after it' "$work/out" '^ *[0-9]+ items? .*Query'
    stored=$(grep -c '1 WCU\|[0-9]* WCU' "$work/out")
    mount -o remount,size=64m "$work/disk"
    "$pksk" --no-init "$work/disk/store" -c 'count query A' -c 'put A 9999 {body: x}' -c 'check' >"$work/out2" 2>&1
    if [ $? -eq 0 ]; then ok "works again once there is space ($stored puts were acknowledged)"; else bad 'works again once there is space' "$work/out2"; fi
    umount "$work/disk" && mounted=
}

# A store with rows in several table files.
make_store() {
    python3 -c '
import random
random.seed(2)
print("create table rows (PK string, SK number) gsi by_group (g string) projection keys;")
for i in range(3000):
    print("put C#%d %d {g: G#%d, body: \x27%s\x27}" % (i % 50, i, i % 7, "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=12000))))
' >"$work/make.pksk"
    "$pksk" --no-init -q "$1" -f "$work/make.pksk" >"$work/out" 2>&1 || bad 'making a store to damage' "$work/out"
}

damaged_file() {
    make_store "$work/damaged"
    file=$(find "$work/damaged" -name '*.ldb' -size +200k | sort | head -n 1)
    if [ -z "$file" ]; then
        bad 'a store with table files to damage'
        return
    fi
    dd if=/dev/urandom of="$file" bs=1 seek=100000 count=4000 conv=notrunc 2>/dev/null
    "$pksk" --no-init "$work/damaged" -c check >"$work/out" 2>&1
    if [ $? -ne 0 ]; then ok 'damage is found by check'; else bad 'damage is found by check' "$work/out"; fi
    "$pksk" repair "$work/damaged" >"$work/out" 2>&1
    expect 'repair names the damaged file' "$work/out" "$(basename "$file")"
    "$pksk" --no-init "$work/damaged" -c check -c 'count scan from rows' >"$work/out" 2>&1
    if [ $? -eq 0 ]; then ok "after repair the store is consistent: $(grep -oE '[0-9,]+ items?' "$work/out" | tail -n 1)"; else bad 'after repair the store is consistent' "$work/out"; fi
}

lost_manifest() {
    make_store "$work/lost"
    rm -f "$work"/lost/MANIFEST-* "$work/lost/CURRENT"
    "$pksk" --no-init "$work/lost" -c tables >"$work/out" 2>&1
    if [ $? -eq 3 ]; then ok 'a lost MANIFEST is refused with exit 3'; else bad 'a lost MANIFEST is refused with exit 3' "$work/out"; fi
    expect 'and points to repair' "$work/out" 'pksk repair'
    "$pksk" repair "$work/lost" >"$work/out" 2>&1
    if [ $? -eq 0 ]; then ok 'repair of a lost MANIFEST'; else bad 'repair of a lost MANIFEST' "$work/out"; fi
    "$pksk" --no-init "$work/lost" -c check -c 'count scan from rows' >"$work/out" 2>&1
    expect 'everything is there again' "$work/out" '3,?000'
}

kills
log_kills
backup_kills
split_kills
http_ends
histories
full_disk
damaged_file
lost_manifest
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
