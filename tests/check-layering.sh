#!/bin/sh
# Includes go only to the left: engine <- commands <- shell, and inside the engine
# base <- value <- store, expr <- table, log, sim <- ops <- engine.c. Third parties stay in their files.
fail=0
complain() { echo "layering: $1"; fail=1; }

includes() { grep -HnE '^#include "' "$@" 2>/dev/null; }

bad=$(includes $(git ls-files 'engine/*.[ch]' 'engine/*/*.[ch]') | grep -E '"(commands|shell)/')
[ -z "$bad" ] || complain "engine includes upward:
$bad"
bad=$(includes $(git ls-files 'commands/*.[ch]' 'commands/*/*.[ch]') | grep -E '"shell/')
[ -z "$bad" ] || complain "commands include the shell:
$bad"
bad=$(includes $(git ls-files 'commands/*.[ch]' 'commands/*/*.[ch]' 'shell/*.[ch]' 'shell/*/*.[ch]') |
    grep -E '"engine/[a-z]+/' | grep -v '"engine/base/')
[ -z "$bad" ] || complain "an engine-private header is included from above:
$bad"
bad=$(includes $(git ls-files 'shell/*.[ch]' 'shell/*/*.[ch]') | grep -E '"commands/[a-z]+/')
[ -z "$bad" ] || complain "a header private to commands is included from the shell:
$bad"

# folder -> what it may include of the engine's folders
allow() {
    bad=$(includes $(git ls-files "engine/$1/*.[ch]") | grep -E '"engine/(base|value|store|expr|table|log|sim|ops)/' |
        grep -vE "\"engine/($2)/")
    [ -z "$bad" ] || complain "engine/$1 includes a neighbour or to the right:
$bad"
}
allow base 'base'
allow value 'base|value'
allow store 'base|value|store'
allow expr 'base|value|expr'
allow table 'base|value|store|expr|table'
allow log 'base|value|store|expr|log'
allow sim 'base|value|store|expr|sim'
allow ops 'base|value|store|expr|table|log|sim|ops'

only() { # pattern, allowed file pattern
    bad=$(grep -lE "^#include <$1" $(git ls-files 'engine/*.[ch]' 'engine/*/*.[ch]' 'commands/*.[ch]' 'commands/*/*.[ch]' 'shell/*.[ch]' 'shell/*/*.[ch]') 2>/dev/null | grep -vE "$2")
    [ -z "$bad" ] || complain "<$1> outside its place: $bad"
}
only 'leveldb/' '^engine/store/store_leveldb\.c$'
only 'cjson/' '^commands/'
only 'readline/' '^shell/(history_keys|line|read_char)\.c$'
only 'curses|ncurses' '^shell/panel/'
only 'openssl/' '^engine/base/hash\.c$'
only 'microhttpd' '^shell/server/server\.c$'
only 'curl/' '^shell/client/client\.c$'
only 'yaml\.h' '^commands/transfer/'

[ $fail -eq 0 ] && echo "layering: clean"
exit $fail
