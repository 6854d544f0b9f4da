#!/bin/sh
# The README's picture and screen of the panel, from a real run: docs/panel.svg, and the block behind
# the mark in README.md.
# Needs tmux and python3 (Debian's), and ./pksk.
set -eu
cd "$(dirname "$0")/.."
columns=110 rows=36
home=$(mktemp -d)
tm() {
    env -u TMUX tmux -L "pksk-picture-$$" -f /dev/null "$@"
}
trap 'tm kill-server 2>/dev/null; rm -rf "$home"' EXIT

looks_like() {
    n=0
    until tm capture-pane -p -t 0 | grep -q -e "$1"; do
        n=$((n + 1))
        [ $n -lt 600 ] || { tm capture-pane -p -t 0; echo "no '$1' on the screen" >&2; exit 1; }
        sleep 0.1
    done
}

line() {
    case $1 in
    *\;) tm send-keys -t 0 -l -- "${1%;}\\;" ;;
    *) tm send-keys -t 0 -l -- "$1" ;;
    esac
    tm send-keys -t 0 Enter
    looks_like '> *$'
}

LC_ALL=C.UTF-8 HOME="$home" XDG_CONFIG_HOME="$home" XDG_STATE_HOME="$home" TERM=xterm-256color \
    tm new-session -d -x $columns -y $rows "env -u NO_COLOR ./pksk -q --no-init --memory"
tm set -g default-terminal tmux-256color
looks_like '^pksk>'
line 'create table dashboard (PK string, SK string) stream new_and_old_images;'
line 'use dashboard'
line 'throttle enforce'
line 'traffic fill keys=USER#{1..300} size=400B'
line "put USER#123 PROFILE {name: 'Alice'}"
line 'put USER#123 ORDER#1001 {total: 45.00}'
line 'put USER#123 ORDER#1002 {total: 12.50}'
line "put USER#123 PAYMENT#5 {status: 'paid'}"
line 'panel'
line 'traffic start viral op=get keys=USER#{1..300} skew=hot(70% USER#1) rate=10000/s strong for=90s seed=7'
line 'put USER#123 ORDER#1003 {total: 30, tags: <<'"'new'"'>>}'
sleep 40
line 'edit USER#999 ORDER#55 set total = 12.5'
line 'query USER#123 where total > 20'
sleep 1
tm capture-pane -p -t 0 >"$home/panel.txt"
tm capture-pane -e -p -t 0 | python3 docs/make-panel-picture.py $columns $rows >docs/panel.svg
python3 - "$home/panel.txt" <<'END'
import sys

screen = open(sys.argv[1]).read().rstrip()
readme = open("README.md").read()
mark = "<!-- the screen of docs/make-panel-picture.sh -->\n```text\n"
head, rest = readme.split(mark)
rest = rest[rest.index("```\n"):]
open("README.md", "w").write(head + mark + screen + "\n" + rest)
END
