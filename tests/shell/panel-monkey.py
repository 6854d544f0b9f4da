#!/usr/bin/env python3
"""Random keys, pastes, sizes, stops and statements against the panel on a pseudo terminal.

    panel-monkey.py PKSK [SECONDS [SEED]]

What must hold: the program ends when told to, with 0, the modes of the terminal are as before, the
last screen mode is the plain one, and no sanitizer has anything to say. Prints the seed, which
repeats the run as far as timing allows.
"""
import fcntl
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

STATEMENTS = [
    "put k{n} {{v: {n}}}", "put 日本{n} {{v: 'é'}}", "get k{n}", "scan", "scan limit 5", "more",
    "query k{n}", "watch 0 times 30 count scan", "watch 0.01 times 40 get k{n}", "del k{n}",
    "traffic start t{d} op=put keys=k{{1..300}} rate={r}/s for=3s", "traffic", "traffic stop",
    "panel heat", "panel collections", "panel stream", "panel indexes", "panel split", "panel off",
    "panel on", "panel", "set symbols ascii", "set symbols utf8", "set symbols auto", "help",
    "help panel", "describe", "partitions", "history 20", "clear", "put big {{v: '{long}'}}",
    "clock pause", "clock advance 5s", "clock resume", "throttle enforce", "throttle off",
    "SELECT * FROM Monkey WHERE k = 'k{n}'", "create table Other (a S, b S);", "drop table Other;",
    "connect local", "nonsense {n}", "import /dev/null", "begin", "rollback",
]
KEYS = [
    b"\x1bOQ", b"\x1bOR", b"\x1bOS", b"\x1b[15~", b"\x1b[17~", b"\x1b[18~", b"\x1b[18~",
    b"\x1b[20~", b"\x1b[20~", b"\x1b[5~", b"\x1b[6~", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D",
    b"\x1b[H", b"\x1b[F", b"\x1b[3~", b"\x1b", b"\x1b\x1b", b"\x1b[1;5C", b"\x1b[99~", b"\x1b[", b"\x1bO",
    b"\t", b"\t\t", b"\r", b"\r", b"\n", b"\x7f", b"\x01", b"\x05", b"\x0b", b"\x0c", b"\x12", b"\x13",
    b"\x15", b"\x16", b"\x17", b"\x19", b"\x07", b"y", b"n", b"R", b"+", b"-", b"s", b"f", b"/", b" ",
    "日".encode(), b"\xe6", b"\xff", "e\u0301".encode(), "\U0001f600".encode(), b"'", b"{", b"}",
]
SIZES = [(24, 80), (1, 1), (2, 3), (9, 23), (10, 24), (40, 120), (60, 200), (100, 300), (24, 1),
         (1, 80), (12, 40), (5, 500), (300, 10)]


class Terminal:
    """A program on a pseudo terminal, below a parent that continues it when it is stopped."""

    def __init__(self, command, environment):
        self.master, self.slave = os.openpty()
        self.resize(24, 80)
        self.before = termios.tcgetattr(self.slave)
        self.tail = b""
        self.pid_read, pid_write = os.pipe()
        self.parent = os.fork()
        if self.parent == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            self.look_after(command, environment, pid_write)
        os.close(pid_write)
        self.pid = int(os.read(self.pid_read, 32) or b"0")

    def look_after(self, command, environment, pid_write):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for fd in range(3):
                os.dup2(self.slave, fd)
            os.closerange(3, 64)
            os.execve(command[0], command, environment)
        os.write(pid_write, str(pid).encode())
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                time.sleep(0.05)
                os.tcsetpgrp(self.slave, pid)
                os.kill(pid, signal.SIGCONT)
                continue
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self, seconds):
        end = time.monotonic() + seconds
        while True:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                return
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            self.tail = (self.tail + data)[-200000:]

    def send(self, data):
        """Without blocking for good: a terminal's queue may be full."""
        while data:
            _, ready, _ = select.select([], [self.master], [], 1)
            if not ready:
                self.drain(0.01)
                return
            data = data[os.write(self.master, data[:200]):]
            self.drain(0)

    def ended(self):
        pid, status = os.waitpid(self.parent, os.WNOHANG)
        return None if pid == 0 else os.waitstatus_to_exitcode(status)


def act(chance, terminal):
    kind = chance.random()
    if kind < 0.55:
        terminal.send(chance.choice(KEYS))
    elif kind < 0.75:
        statement = chance.choice(STATEMENTS).format(n=chance.randrange(40), d=chance.randrange(3),
                                                    r=chance.choice([10, 500, 5000]), long="x" * 3000)
        terminal.send(statement.encode() + b"\r")
    elif kind < 0.83:
        terminal.resize(*chance.choice(SIZES))
    elif kind < 0.88:
        text = "\n".join(chance.choice(["get k1", "put p {v: 1}", "x\tR", "日本"]) for _ in range(chance.randrange(4)))
        terminal.send(b"\x1b[200~" + text.encode() + (b"\x1b[201~" if chance.random() < 0.9 else b""))
    elif kind < 0.94:
        terminal.send(b"\x03")
        terminal.drain(0.05)
    elif kind < 0.96:
        terminal.send(b"\x1a")
        terminal.drain(0.15)
    else:
        terminal.send("".join(chance.choice("abcxyz {}'.*#19日é") for _ in range(chance.randrange(60))).encode())
    terminal.drain(chance.choice([0, 0, 0.002, 0.01, 0.05]))


def leave(terminal):
    """Tells the program to end, whatever it is in the middle of."""
    terminal.resize(24, 80)
    for _ in range(40):
        for data in (b"\x1b[201~", b"\x03", b"\x03", b"\x1b", b"\x1b", b"\x03", b"\x04"):
            terminal.send(data)
            terminal.drain(0.06)
            status = terminal.ended()
            if status is not None:
                return status
    return None


def complain(terminal, text, home):
    print("FAILED  " + text)
    print(terminal.tail[-3000:].decode(errors="replace").replace("\x1b", "ESC"))
    for name in sorted(os.listdir(home)):
        if name.startswith("sanitizer"):
            print(open(os.path.join(home, name), errors="replace").read()[:6000])
    return 1


def check_end(terminal, status, home):
    terminal.drain(0.2)
    if status is None:
        if shutil.which("gdb"):
            subprocess.run(["gdb", "-p", str(terminal.pid), "-batch", "-ex", "backtrace"], check=False)
        os.kill(terminal.pid, signal.SIGABRT)
        return complain(terminal, "it does not end", home)
    if any(name.startswith("sanitizer") for name in os.listdir(home)):
        return complain(terminal, "a sanitizer's report", home)
    if status != 0:
        return complain(terminal, f"it ended with {status}", home)
    if termios.tcgetattr(terminal.slave) != terminal.before:
        return complain(terminal, "the modes of the terminal have changed", home)
    if terminal.tail.rfind(b"\x1b[?1049h") > terminal.tail.rfind(b"\x1b[?1049l"):
        return complain(terminal, "the terminal is still in full-screen mode", home)
    return 0


def write_suppressions(home):
    """readline 8.2 loses memory of its own: killed text, undo lists and lines of its vi mode (ESC Enter turns that
    on), the state of a quoted insert that is interrupted. Lines that it hands out are the caller's in take_line()."""
    path = os.path.join(home, "suppressions")
    with open(path, "w") as file:
        file.write("leak:libreadline.so\n")
    return path


def run(command, seconds, seed):
    chance = random.Random(seed)
    home = tempfile.mkdtemp(prefix="pksk-monkey-")
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
                   "INPUTRC": "/dev/null", "PAGER": "cat",
                   "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + write_suppressions(home),
                   "ASAN_OPTIONS": f"log_path={home}/sanitizer:fast_unwind_on_malloc=0:malloc_context_size=12", "UBSAN_OPTIONS": f"log_path={home}/sanitizer"}
    end = time.monotonic() + seconds
    actions = starts = 0
    failed = 0
    while time.monotonic() < end and failed == 0:
        terminal = Terminal([command, "-q", "--memory"], environment)
        starts += 1
        terminal.drain(0.3)
        terminal.send(b"create table Monkey (k S);\r")
        terminal.drain(0.2)
        terminal.send(b"panel\r")
        round_end = min(end, time.monotonic() + chance.choice([5, 10, 20]))
        status = None
        while time.monotonic() < round_end and status is None:
            act(chance, terminal)
            actions += 1
            status = terminal.ended()
        if status is None:
            status = leave(terminal)
        failed = check_end(terminal, status, home)
        os.close(terminal.slave)
        os.close(terminal.master)
        os.close(terminal.pid_read)
    print(f"{'FAILED' if failed else 'ok'}  monkey: {actions} actions, {starts} starts, seed {seed}")
    shutil.rmtree(home, ignore_errors=True)
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    the_seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 600
    the_seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    sys.exit(run(os.path.abspath(sys.argv[1]), the_seconds, the_seed))
