#!/bin/sh
# Runs test programs, as many at once as there are processors; fails when one fails, reports a leak
# or runs no test. A program's result is one line, and what it said when it failed.
# ASan's leak reports do not fail a criterion run by themselves: they are collected from files.
set -u
export LC_ALL=C.UTF-8

# --one RESULTS PROGRAM: its line goes to standard output, its count of tests to the folder.
if [ "${1:-}" = --one ]; then
    name=${3#build/*/tests/}
    out=$2/$(echo "$name" | tr / -)
    if "$3" >"$out" 2>&1 && ! grep -q 'Tested: 0 ' "$out"; then
        found=$(sed -n 's/.*Tested: \([0-9]*\).*/\1/p' "$out" | tail -n 1)
        skipped=$(sed -n 's/^skipped/        skipped/p' "$out" | sort -u)
        echo "${found:-1}" >"$out.passed"
        printf 'ok      %s\n' "$name${found:+ ($found)}${skipped:+
$skipped}"
    else
        : >"$out.failed"
        printf 'FAILED  %s\n%s\n' "$name" "$(cat "$out")"
    fi
    exit 0
fi

[ $# -gt 0 ] || { echo "no test programs were given" >&2; exit 1; }
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export ASAN_OPTIONS="log_path=$results/asan"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1"
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" sh "$0" --one "$results"
passed=$(cat "$results"/*.passed 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
failed=$(find "$results" -name '*.failed' | wc -l)
told=$(find "$results" -name '*.failed' -o -name '*.passed' | wc -l)
if [ "$told" -ne $# ]; then
    failed=$((failed + 1))
    echo "FAILED  of $# programs only $told have a result"
fi
for report in "$results"/asan*; do
    [ -e "$report" ] || continue
    failed=$((failed + 1))
    head -n 60 "$report"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
