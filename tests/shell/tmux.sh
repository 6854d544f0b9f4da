# A terminal for tests: one tmux server of our own, read with capture-pane. To be sourced.
#
# Nothing here waits for a time: wait_for looks until the screen shows what is expected, and gives
# up after PATIENCE looks. Keys are sent when the prompt is back, because Ctrl-C and Ctrl-Z make the
# terminal driver drop what was typed ahead.

PATIENCE=${PATIENCE:-600} # looks of 50 ms: 30 s
home=$(mktemp -d)
starts=0
socket=pksk-test-$$-0 # a new one for each terminal: a server that ends is in nobody's way
passed=0
failed=0
problem=

tm() {
    env -u TMUX tmux -L "$socket" -f /dev/null "$@"
}

finish() {
    tm kill-server 2>/dev/null
    rm -rf "$home"
}
trap finish EXIT
trap 'exit 130' INT TERM

# start COLUMNS ROWS COMMAND: a fresh terminal
start() {
    tm kill-server 2>/dev/null
    starts=$((starts + 1))
    socket=pksk-test-$$-$starts
    env -u NO_COLOR LC_ALL=C.UTF-8 HOME="$home" XDG_CONFIG_HOME="$home/config" \
        XDG_STATE_HOME="$home/state" XDG_DATA_HOME="$home/data" PAGER=less PATH="$PATH" \
        env -u TMUX tmux -L "$socket" -f /dev/null new-session -d -x "$1" -y "$2" "$3"
}

screen() {
    tm capture-pane -p -t 0 "$@"
}

# wait_for PATTERN [GREP OPTION]: until the screen has a line that matches
wait_for() {
    looks=0
    while ! screen | grep -q ${2:+"$2"} -e "$1"; do
        looks=$((looks + 1))
        if [ "$looks" -ge "$PATIENCE" ]; then
            problem="${problem:-no line like '$1' on the screen:
$(screen)}"
            return 1
        fi
        sleep 0.05
    done
}

# last_line PATTERN: until the last line that is not empty matches
last_line() {
    looks=0
    while ! screen | sed '/^$/d' | tail -n 1 | grep -q -e "$1"; do
        looks=$((looks + 1))
        if [ "$looks" -ge "$PATIENCE" ]; then
            problem="${problem:-the last line is not like '$1':
$(screen)}"
            return 1
        fi
        sleep 0.05
    done
}

lacks() {
    if screen | grep -q -e "$1"; then
        problem="${problem:-'$1' should not be on the screen:
$(screen)}"
    fi
}

# equal WHAT ACTUAL EXPECTED
equal() {
    [ "$2" = "$3" ] || problem="${problem:-$1 is '$2' instead of '$3'}"
}

# resize COLUMNS ROWS: until the terminal driver knows it (tmux takes its time)
resize() {
    tm resize-window -t 0 -x "$1" -y "$2"
    looks=0
    until [ "$(stty size -F "$(tm display-message -p -t 0 '#{pane_tty}')")" = "$2 $1" ]; do
        looks=$((looks + 1))
        if [ "$looks" -ge "$PATIENCE" ]; then
            problem="${problem:-the terminal is not resized to $1 x $2}"
            return 1
        fi
        sleep 0.05
    done
}

keys() {
    tm send-keys -t 0 "$@"
}

# typed TEXT: as it is, also with a semicolon at its end, which tmux would take for its own
typed() {
    case $1 in
    *\;) tm send-keys -t 0 -l -- "${1%;}\\;" ;;
    *) tm send-keys -t 0 -l -- "$1" ;;
    esac
}

line() {
    typed "$1"
    keys Enter
}

# pasted TEXT: as a terminal pastes it
pasted() {
    tm set-buffer -- "$1"
    tm paste-buffer -p -t 0
}

# cleared: an empty screen with a prompt at its top
cleared() {
    keys C-l
    looks=0
    until [ "$(screen | sed '/^$/d' | wc -l)" -eq 1 ] || [ "$looks" -ge "$PATIENCE" ]; do
        looks=$((looks + 1))
        sleep 0.05
    done
}

# case_ok NAME: counts the case that has just run
case_ok() {
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
        echo "ok      tmux $1"
    else
        failed=$((failed + 1))
        echo "FAILED  tmux $1"
        printf '%s\n' "$problem" | sed 's/^/        /'
    fi
    problem=
}
