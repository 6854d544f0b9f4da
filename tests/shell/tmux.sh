# A terminal for tests: one tmux server of our own, read with capture-pane. To be sourced.
#
# Nothing here waits for a time: until_true looks until something is as expected, and gives up after
# PATIENCE looks. Keys are sent when the prompt is back, because Ctrl-C and Ctrl-Z make the
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

# until_true PROBLEM COMMAND...: until the command succeeds; else that is the problem of the case
until_true() {
    missing=$1
    shift
    looks=0
    until "$@"; do
        looks=$((looks + 1))
        if [ "$looks" -ge "$PATIENCE" ]; then
            problem="${problem:-$missing:
$(screen)}"
            return 1
        fi
        sleep 0.05
    done
}

# shows PATTERN [GREP OPTION]: whether the screen has a line that matches
shows() {
    screen | grep -q ${2:+"$2"} -e "$1"
}

shows_no_more() {
    ! shows "$1"
}

# wait_for PATTERN [GREP OPTION]: until the screen has a line that matches
wait_for() {
    until_true "no line like '$1' on the screen" shows "$@"
}

# wait_out PATTERN: until no line matches any more
wait_out() {
    until_true "'$1' should not be on the screen" shows_no_more "$1"
}

last_is_like() {
    screen | sed '/^$/d' | tail -n 1 | grep -q -e "$1"
}

# last_line PATTERN: until the last line that is not empty matches
last_line() {
    until_true "the last line is not like '$1'" last_is_like "$1"
}

lacks() {
    if shows "$1"; then
        problem="${problem:-'$1' should not be on the screen:
$(screen)}"
    fi
}

# equal WHAT ACTUAL EXPECTED
equal() {
    [ "$2" = "$3" ] || problem="${problem:-$1 is '$2' instead of '$3'}"
}

terminal_ended() {
    ! tm has-session 2>/dev/null
}

has_size() {
    [ "$(stty size -F "$(tm display-message -p -t 0 '#{pane_tty}')")" = "$2 $1" ]
}

# resize COLUMNS ROWS: until the terminal driver knows it (tmux takes its time)
resize() {
    tm resize-window -t 0 -x "$1" -y "$2"
    until_true "the terminal is not resized to $1 x $2" has_size "$1" "$2"
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

has_one_line() {
    [ "$(screen | sed '/^$/d' | wc -l)" -eq 1 ]
}

# cleared: an empty screen with a prompt at its top
cleared() {
    keys C-l
    until_true 'the screen is not cleared' has_one_line
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

# What the scripts of this folder share ------------------------------------------------------------

need_tmux() {
    if ! command -v tmux >/dev/null; then
        echo "tmux is missing"
        exit 1
    fi
}

# For start: a command between these two notes the modes of the terminal before and after, and with
# which status it left.
modes="stty -g >$home/before; "
end="; echo \"left with \$?\"; stty -g >$home/after; cat"

# left STATUS: the program has ended, and the modes of the terminal are as before
left() {
    wait_for "^left with $1\$"
    until_true 'the modes of the terminal are not told' test -s "$home/after"
    equal 'the modes of the terminal' "$(cat "$home/after")" "$(cat "$home/before")"
    rm -f "$home/after"
}

# make_music STORE: table Music with two items, table Big with 500
make_music() {
    "$PKSK" -q --no-init -c "create table Music (Artist S, Song S);
create table Big (k S);" -c "use Music
put Acme Blue {Plays: 1}
put Acme 日本語 {Plays: 22, Note: 'x'}" "$1" >/dev/null 2>&1
    i=0
    while [ $i -lt 500 ]; do
        echo "put k$i {v: $i} into Big"
        i=$((i + 1))
    done >"$home/fill"
    "$PKSK" -q --no-init -f "$home/fill" "$1" >/dev/null 2>&1
}

# opens STORE: whether nobody else holds it
opens() {
    "$PKSK" -q --no-init -c 'tables' "$1" >/dev/null 2>&1
}
