#!/bin/sh
# Runs the sessions that the documents show: every ```pksk block of README.md and docs/*.md.
# Lines with a prompt are typed, the others are what must come back (blank lines aside).
# The blocks of one document are one session on an empty store, with `set footer.time off`.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for doc in README.md docs/*.md; do
    grep -q '^```pksk' "$doc" || continue
    awk -v input="$work/input" -v expected="$work/expected" '
        BEGIN { printf "" > input; printf "" > expected; print "set footer.time off" > input }
        /^```pksk/ { inside = 1; next }
        /^```/ { inside = 0 }
        !inside || /^$/ { next }
        match($0, /^(pksk[^>]*| +[^ ]+)> /) { print substr($0, RLENGTH + 1) > input; next }
        { print > expected }' "$doc"
    ./pksk --memory --no-init --keep-going -q -f "$work/input" 2>&1 | grep -v '^ *$' >"$work/actual"
    if diff "$work/expected" "$work/actual" >"$work/diff"; then
        passed=$((passed + 1))
        echo "ok      $doc"
    else
        failed=$((failed + 1))
        echo "FAILED  $doc"
        cat "$work/diff"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
