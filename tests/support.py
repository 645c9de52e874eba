"""Helpers for tests of all rooms: the README as a program, child processes, threads."""

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_MARK = "\x1e"  # printed after each block: an ASCII record separator


@dataclass(frozen=True)
class Readme:
    """The python blocks of a Markdown text as one program, with what each should print.

    The program keeps the line numbers of the text, so that a traceback points into it. `expected`
    holds, for each block, the ```text block that follows it, or None where there is none.
    """

    program: str
    expected: list[str | None]

    @classmethod
    def of(cls, text):
        program, expected, fence, block = [], [], None, []
        for line in text.splitlines():
            if fence is None and line.startswith("```"):
                fence, block = line[3:].strip(), []
                program.append("")
            elif fence is not None and line.strip() == "```":
                program.append(f"print({_MARK!r})" if fence == "python" else "")
                if fence == "python":
                    expected.append(None)
                elif fence == "text" and expected:
                    expected[-1] = "\n".join(block)
                fence = None
            else:
                program.append(line if fence == "python" else "")
                block.append(line)
        return cls("\n".join(program) + "\n", expected)

    def check(self, printed):
        """Compare what the program printed with the blocks that say what it should."""
        parts = printed.split(_MARK + "\n")
        assert len(parts) == len(self.expected) + 1
        for number, (wanted, got) in enumerate(zip(self.expected, parts), start=1):
            if wanted is not None:
                assert _lines(got) == _lines(wanted), f"block {number} printed\n{got}"


def _lines(text):
    return [line.rstrip() for line in text.strip().splitlines()]


def child(*arguments, python=sys.executable, cwd=None, timeout=600, **env):
    """Run a child interpreter to its end, well or not: its status and texts."""
    return subprocess.run(
        [python, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run_python(*arguments, **options):
    """Run a child interpreter to its end; its standard output. A failure shows its stderr."""
    ended = child(*arguments, **options)
    assert ended.returncode == 0, f"{arguments} failed:\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def on_threads(work, items, *, seconds=60):
    """Call `work()` on so many threads at once, or `work(item)` for each of several; all end in
    time, and what the first one raised is raised here."""
    calls = [()] * items if isinstance(items, int) else [(item,) for item in items]
    start, problems = threading.Barrier(len(calls)), []

    def run(call):
        try:
            start.wait(seconds)
            work(*call)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
        assert not thread.is_alive()
    if problems:
        raise problems[0]


# the begin of a program: a handler of signals that raises once for each that `armed` asks for
INTERRUPTS = """
import random, signal, sys

class Stop(Exception):
    pass

armed, caught = [], 0

def interrupt(number, frame):
    if armed:
        armed.clear()
        raise Stop
"""
