#!/bin/sh
# Runs each fuzz target given for FUZZ_SECONDS. The kept corpus (tests/fuzz/corpus/NAME) is read
# only; what is found new goes to build/fuzz-corpus/NAME. A crash leaves its input there and fails.
set -u
passed=0 failed=0
for target in "$@"; do
    name=$(basename "$target")
    found=build/fuzz-corpus/$name
    mkdir -p "$found" "tests/fuzz/corpus/$name"
    if "$target" -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -artifact_prefix="$found/crash-" "$found" "tests/fuzz/corpus/$name" >"$found.log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name: $(grep -c . "$found.log") lines, $(sed -n 's/^Done \([0-9]*\) runs.*/\1 runs/p' "$found.log")"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -n 40 "$found.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
