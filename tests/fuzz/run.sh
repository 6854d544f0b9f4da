#!/bin/sh
# Runs each fuzz target given for FUZZ_SECONDS, as many at once as there are processors. The kept
# corpus (tests/fuzz/corpus/NAME) is read only; what is found new goes to build/fuzz-corpus/NAME. A
# crash leaves its input there and fails.
#
# FUZZ_REPLAY=1: instead of that, runs the kept corpus only, which no chance is in.
#
# FUZZ_MERGE=1: instead of that, makes of seeds, corpus and what was found a small corpus that reaches
# as much: the inputs that add most, 300 at most.
set -u
[ -z "${FUZZ_MERGE:-}" ] && [ $# -gt 1 ] && exec xargs -n 1 -P "$(nproc)" sh "$0" <<EOF
$(printf '%s\n' "$@")
EOF
passed=0 failed=0
[ -w /dev/shm ] && export TMPDIR=/dev/shm # stores sync, and memory is quick

for_how_long() {
    if [ -n "${FUZZ_REPLAY:-}" ]; then
        echo "-runs=0"
    else
        echo "-max_total_time=${FUZZ_SECONDS:-600}"
    fi
}

options() {
    echo "-timeout=60 -rss_limit_mb=2048 -max_len=4096"
    [ -f "tests/fuzz/$1.dict" ] && echo "-dict=tests/fuzz/$1.dict"
    grep -q fuzz_store.h "tests/fuzz/$1.c" && echo "-detect_leaks=0 -entropic=0"
}

merge() {
    mkdir -p build/fuzz-seeds/"$name" build/fuzz-merged
    rm -rf build/fuzz-merged/"$name"
    mkdir build/fuzz-merged/"$name"
    "$target" $(options "$name") -use_counters=0 -set_cover_merge=1 build/fuzz-merged/"$name" \
        "tests/fuzz/corpus/$name" build/fuzz-seeds/"$name" "$found" >"$found.log" 2>&1 || return 1
    rm -rf "tests/fuzz/corpus/$name"
    mkdir "tests/fuzz/corpus/$name"
    ls -tr build/fuzz-merged/"$name" | head -n 300 | while read -r input; do
        cp "build/fuzz-merged/$name/$input" "tests/fuzz/corpus/$name/$input"
    done
}

[ -n "${FUZZ_MERGE:-}" ] && python3 tests/fuzz/seeds.py build/fuzz-seeds
for target in "$@"; do
    name=$(basename "$target")
    found=build/fuzz-corpus/$name
    mkdir -p "$found" "tests/fuzz/corpus/$name"
    if [ -n "${FUZZ_MERGE:-}" ]; then
        merge && passed=$((passed + 1)) || failed=$((failed + 1))
        echo "merged  $name: $(ls "tests/fuzz/corpus/$name" | wc -l) inputs"
    elif "$target" $(options "$name") $(for_how_long) -artifact_prefix="$found/crash-" \
        "$found" "tests/fuzz/corpus/$name" >"$found.log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name: $(sed -n 's/^Done \([0-9]*\) runs.*/\1 runs/p' "$found.log")," \
            "$(sed -n 's/.*DONE *\(cov: [0-9]*\).*/\1/p' "$found.log")"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -n 40 "$found.log"
    fi
done
[ -n "${FUZZ_MERGE:-}" ] && echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
