#!/bin/sh
# Real clients against a served store.
#   run.sh PKSK [NAME…]     runs these, or every one but the browser (admin_gui)
# Installs what is missing. Each client gets a store of its own; afterwards the server must have
# ended cleanly and the store's check must find no fault. A client that cannot be had is a failure
# under CI=true, and otherwise skipped with a word.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/clients
modules=$root/build/clients/node_modules
pksk=$(realpath "$1") && shift
export PKSK="$pksk"
[ $# -gt 0 ] || set -- boto3 shapes signed explain throttle sdk_client sdk_document sdk_streams sdk_throttle electrodb onetable toolbox aws_cli pasted watch
work=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"
export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1 AWS_REGION=us-east-1
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
export PYTHONDONTWRITEBYTECODE=1
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok      $1"; }
bad() {
    failed=$((failed + 1))
    echo "FAILED  $1"
    shift
    [ $# -eq 0 ] || sed 's/^/        /' "$@" | tail -n 80
}
absent() {
    if [ "${CI:-}" = true ]; then
        bad "$1: $2" "$work/install"
    else
        skipped=$((skipped + 1))
        echo "skipped $1: $2"
    fi
}

# install NAME DEBIAN-PACKAGE…
install() {
    name=$1 && shift
    sh "$root/tests/support/deps.sh" "$@" >"$work/install" 2>&1 && return 0
    absent "$name" "cannot install $*"
    return 1
}

# The versions of the lock file, none of whose scripts is run. They run on Node 18 and later.
npm_packages() {
    if ! cmp -s "$here/package-lock.json" "$modules/.lock"; then
        mkdir -p "$root/build/clients" &&
            cp "$here/package.json" "$here/package-lock.json" "$root/build/clients" &&
            (cd "$root/build/clients" && npm ci --ignore-scripts --no-audit --no-fund) >"$work/install" 2>&1 &&
            cp "$here/package-lock.json" "$modules/.lock" || return 1
    fi
    # imports are looked for beside the programs
    [ -e "$here/node_modules" ] || ln -sfn ../../build/clients/node_modules "$here/node_modules"
}
node_ready() {
    if ! command -v npm >/dev/null 2>&1; then
        install "$1" nodejs npm || return 1
    fi
    npm_packages && return 0
    absent "$1" 'npm ci failed'
    return 1
}

# Starts a server on an empty store; PKSK_ENDPOINT is its URL. With $auth it checks signatures.
start() {
    store=$work/store-$1
    # shellcheck disable=SC2086
    "$pksk" serve --port 0 $auth "$store" >"$work/served" 2>"$work/complaints" &
    server=$!
    tries=0
    PKSK_ENDPOINT=
    while [ -z "$PKSK_ENDPOINT" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        PKSK_ENDPOINT=$(sed -n 's#.* at \(http://[0-9.:]*\).*#\1#p' "$work/served" | head -n 1)
        tries=$((tries + 1))
    done
    export PKSK_ENDPOINT
    [ -n "$PKSK_ENDPOINT" ]
}
# Ends it; false when it did not end well, complained, or left a store with faults.
stop() {
    kill -TERM "$server"
    wait "$server"
    status=$?
    server=
    [ $status -eq 0 ] || echo "pksk serve ended with $status" >>"$work/complaints"
    "$pksk" --no-init "$store" -c check >"$work/check" 2>&1 || cat "$work/check" >>"$work/complaints"
    [ ! -s "$work/complaints" ]
}

# client NAME COMMAND…: runs it against a server of its own
client() {
    name=$1 && shift
    if ! start "$name"; then
        bad "$name: no server" "$work/served" "$work/complaints"
        return
    fi
    "$@" >"$work/out" 2>&1 </dev/null
    status=$?
    count=$(sed -nE 's/^Ran ([0-9]+) tests? .*/\1/p; s/^# pass ([0-9]+)$/\1/p; s/^([0-9]+) passed, 0 failed$/\1/p' "$work/out")
    if [ $status -ne 0 ] || [ "${count:-0}" -eq 0 ]; then
        bad "$name" "$work/out"
        stop || sed 's/^/        /' "$work/complaints"
    elif stop; then
        ok "$name ($count)"
    else
        bad "$name: the server" "$work/complaints"
    fi
}

cd "$here" || exit 1
printf 'local local\nsecond other/secret+with=signs\n' >"$work/keys"
chmod 600 "$work/keys"
for name in "$@"; do
    # those that send nothing unsigned
    case $name in
    signed | sdk_client | electrodb | aws_cli) auth="--auth $work/keys" ;;
    *) auth= ;;
    esac
    case $name in
    boto3 | explain | shapes | signed | throttle) install "$name" python3-boto3 && client "$name" /usr/bin/python3 "test_$name.py" ;;
    aws_cli) install aws_cli awscli && client aws_cli sh aws_cli.sh ;;
    admin_gui) node_ready "$name" && install "$name" chromium && client "$name" node --test-reporter=tap admin_gui.mjs ;;
    pasted) install "$name" python3-boto3 awscli && node_ready "$name" && client "$name" sh pasted.sh "$work/served" ;;
    watch) install "$name" python3-boto3 tmux && client "$name" sh watch.sh "$work/store-watch" ;;
    *) node_ready "$name" && client "$name" node --test-reporter=tap "$name.mjs" ;;
    esac
done
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
