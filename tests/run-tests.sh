#!/bin/sh
# Runs test programs one after the other; fails when one fails, reports a leak or runs no test.
# ASan's leak reports do not fail a criterion run by themselves: they are collected from files.
set -u
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export LC_ALL=C.UTF-8
export ASAN_OPTIONS="log_path=$logs/asan"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1"
passed=0 failed=0
for program in "$@"; do
    name=${program#build/*/tests/}
    if "$program" >"$logs/out" 2>&1 && ! grep -q 'Tested: 0 ' "$logs/out"; then
        found=$(sed -n 's/.*Tested: \([0-9]*\).*/\1/p' "$logs/out" | tail -n 1)
        passed=$((passed + ${found:-1}))
        echo "ok      $name${found:+ ($found)}"
        sed -n 's/^skipped/        skipped/p' "$logs/out" | sort -u
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        cat "$logs/out"
    fi
done
for report in "$logs"/asan*; do
    [ -e "$report" ] || continue
    failed=$((failed + 1))
    head -n 60 "$report"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
