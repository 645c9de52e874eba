"""Helpers for tests of the repository itself: the README as a program, child processes."""

import os
import subprocess
import sys
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


def run_python(*arguments, python=sys.executable, cwd=None, **env):
    """Run a child interpreter to its end; its standard output. A failure shows its stderr."""
    child = subprocess.run(
        [python, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert child.returncode == 0, f"{arguments} failed:\n{child.stdout}\n{child.stderr}"
    return child.stdout
