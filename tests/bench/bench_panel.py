#!/usr/bin/env python3
"""What the panel costs, on a pseudo terminal of 80 x 24, beside traffic of 10,000 requests a second.

    bench_panel.py PKSK [SECONDS a phase]

    echo    milliseconds from a key to its echo on the terminal, plain and with the panel
    panel   CPU of the panel's own two threads: the main one draws, the feed asks
    engine  CPU microseconds a request with the panel off and on, in turns; the two threads of the
            panel are left out
"""
import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

RATE = 10000


class Shell:
    def __init__(self, program, home):
        self.home = home
        self.results = os.path.join(home, "results")
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen([program, "-q", "--memory"], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.drain(0.5)
        for statement in ("set pager off", "create table Bench (PK S, SK S);", "throttle observe",
                          "traffic fill keys=USER#{1..1000}"):
            self.line(statement)
            self.drain(1)

    def drain(self, seconds):
        end = time.monotonic() + seconds
        data = b""
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                data += os.read(self.master, 65536)
        return data

    def line(self, text):
        os.write(self.master, text.encode() + b"\r")

    def panel(self, view):
        """A view, or off."""
        self.line(f"panel {view}")
        self.drain(0.5)

    def cpu(self):
        """Seconds of the whole process, of its main thread, and of the feed."""
        pid = self.process.pid
        feed = 0.0
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                if open(f"/proc/{pid}/task/{task}/comm").read().strip() == "panel feed":
                    feed += thread_seconds(pid, task)
            except OSError:
                pass
        return process_seconds(pid), thread_seconds(pid, pid), feed

    def traffic(self, name, seconds):
        self.line(f"traffic start {name} op=mix(get 80%, put 20%) keys=USER#{{1..1000}} rate={RATE}/s for={seconds}s seed=7")

    def requests(self, name):
        """Ends the traffic; how many requests it made."""
        self.line(f"output {self.results}")
        self.line(f"traffic stop {name}")
        self.line("output -")
        for _ in range(50):
            self.drain(0.1)
            found = re.search(r"requests +([\d,]+)", open(self.results).read() if os.path.exists(self.results) else "")
            if found:
                os.unlink(self.results)
                return int(found.group(1).replace(",", ""))
        raise SystemExit("the traffic's summary does not come")


def process_seconds(pid):
    """The CPU clock of another process: its id as the kernel makes them. Threads that have ended count."""
    return time.clock_gettime((~pid << 3) | 2)


def thread_seconds(pid, tid):
    return int(open(f"/proc/{pid}/task/{tid}/schedstat").read().split()[0]) / 1e9


def echo_times(shell, count):
    """Types letters that are nowhere else on the screen, and waits for each."""
    times = []
    for i in range(count):
        letter = b"\xc4" + bytes([0x80 + i % 60])  # Ā and what follows it
        shell.drain(0.03 + 0.001 * (i % 17))
        begin = time.monotonic()
        os.write(shell.master, letter)
        seen = b""
        while letter not in seen and time.monotonic() - begin < 5:
            if select.select([shell.master], [], [], 1)[0]:
                seen += os.read(shell.master, 65536)
        times.append((time.monotonic() - begin) * 1000)
        if i % 40 == 39:
            os.write(shell.master, b"\x15")
            shell.drain(0.1)
    os.write(shell.master, b"\x15")
    shell.drain(0.1)
    return sorted(times)


def show_echo(shell, what, count):
    times = echo_times(shell, count)
    print(f" echo    {what:22} p50 {times[count // 2]:5.1f} ms   p95 {times[count * 95 // 100]:5.1f} ms   "
          f"max {times[-1]:5.1f} ms")


def measure_echo(shell, count):
    show_echo(shell, "plain, idle", count)
    shell.traffic("echo", 120)
    shell.drain(1)
    show_echo(shell, f"plain, {RATE:,}/s", count)
    for view in ("split", "heat"):
        shell.panel(view)
        show_echo(shell, f"{view}, {RATE:,}/s", count)
    shell.panel("off")
    shell.requests("echo")


def measure_panel(shell, seconds):
    for view in ("split", "heat", "collections", "stream", "indexes"):
        shell.traffic("cpu", seconds + 5)
        shell.panel(view)
        shell.drain(1)
        _, main, feed = shell.cpu()
        begin = time.monotonic()
        shell.drain(seconds)
        _, main_after, feed_after = shell.cpu()
        wall = time.monotonic() - begin
        shell.panel("off")
        shell.requests("cpu")
        print(f" panel   {view:22} {100 * (main_after - main) / wall:4.1f} % of a core draws, "
              f"{100 * (feed_after - feed) / wall:4.1f} % asks")


def phase(shell, view, seconds):
    """CPU microseconds a request, those of the panel left out."""
    if view:
        shell.panel(view)
    before = shell.cpu()
    shell.traffic("pair", seconds)
    shell.drain(seconds + 0.5)
    after = shell.cpu()
    if view:
        shell.panel("off")
    used = [b - a for a, b in zip(before, after)]
    return 1e6 * (used[0] - used[1] - used[2]) / shell.requests("pair")


def measure_engine(shell, seconds, rounds):
    """Off, on, on, off: what drifts meanwhile cancels out."""
    ratios = []
    for _ in range(rounds):
        times = [phase(shell, view, seconds) for view in (None, "split", "split", None)]
        for off, on in (times[:2], times[:1:-1]):
            ratios.append(on / off)
            print(f" engine  off {off:6.2f} µs   on {on:6.2f} µs   on/off {on / off:5.3f}")
    print(f" engine  median on/off {statistics.median(ratios):5.3f} of {len(ratios)} pairs")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory(prefix="pksk-bench-") as home:
        shell = Shell(os.path.abspath(sys.argv[1]), home)
        try:
            measure_echo(shell, 40 * seconds)
            measure_panel(shell, seconds)
            measure_engine(shell, seconds, 4 if seconds > 1 else 1)
        finally:
            shell.process.terminate()
            shell.process.wait()


main()
