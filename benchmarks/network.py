"""Two machines on one: a network namespace behind a pair of virtual cards.

    with wire(rate="200mbit") as remote:
        remote.start(sys.executable, "-m", "http.server", "--bind", remote.there)
        ...
        remote.cut()

It takes root and iproute2 on Linux; `Refused` says what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

END = 10.0  # seconds that a process has to end


class Refused(RuntimeError):
    """The system gives no network namespaces."""


class Remote:
    """The other side of a wire: `here` and `there` are addresses of the two."""

    def __init__(self, name: str, number: int) -> None:
        self.name, self.card = name, f"{name}a"
        self.here, self.there = f"10.77.{number}.1", f"10.77.{number}.2"
        self._ended = ExitStack()

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Return a process of the other side, which ends with the wire."""
        quiet = {"DASK_LOGGING__DISTRIBUTED": "error"}
        inside = ["ip", "netns", "exec", self.name]
        called = subprocess.Popen([*inside, *command], env=os.environ | quiet)
        self._ended.callback(end, called)
        return called

    def start_worker(self, scheduler: str) -> subprocess.Popen[bytes]:
        """Return a worker of Dask on the other side."""
        options = ["--host", self.there, "--nthreads", "1", "--no-dashboard"]
        return self.start(sys.executable, "-m", "distributed.cli.dask_worker", scheduler, *options)

    def cut(self) -> None:
        """Let nothing through, as if the wire were cut."""
        _ip("link", "set", self.card, "down")

    def mend(self) -> None:
        """Let all through again."""
        _ip("link", "set", self.card, "up")

    def carried(self) -> int:
        """Return how many bytes went over the wire so far, both ways."""
        counts = Path("/sys/class/net", self.card, "statistics")
        return sum(int((counts / f"{way}_bytes").read_text()) for way in ("tx", "rx"))


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process: first it is asked to."""
    process.terminate()
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(END)


@contextmanager
def wire(rate: str = "") -> Iterator[Remote]:
    """A second machine, in a namespace of its own.

    `rate`: bits a second each way, in the words of `tc` ("200mbit"); without it there is no limit.
    """
    if shutil.which("ip") is None or (rate and shutil.which("tc") is None):
        raise Refused("the commands ip and tc (iproute2) are not there")
    number = os.getpid() % 250 + 1
    remote = Remote(f"nb{os.getpid() % 10**6}", number)
    name, far = remote.name, f"{remote.name}b"
    with ExitStack() as undo:
        _ip("netns", "add", name)
        undo.callback(_ip, "netns", "del", name)
        _ip("link", "add", remote.card, "type", "veth", "peer", "name", far, "netns", name)
        undo.callback(subprocess.run, ["ip", "link", "del", remote.card], check=False)
        _ip("addr", "add", f"{remote.here}/24", "dev", remote.card)
        _ip("-n", name, "addr", "add", f"{remote.there}/24", "dev", far)
        for where, card in ([], remote.card), (["-n", name], far), (["-n", name], "lo"):
            _ip(*where, "link", "set", card, "up")
            if rate and card != "lo":
                queue = ["root", "tbf", "rate", rate, "burst", "64kb", "latency", "200ms"]
                _run("tc", *where, "qdisc", "add", "dev", card, *queue)
        undo.push(remote._ended)
        yield remote


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(command)}: {done.stderr.strip()}")
