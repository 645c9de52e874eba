"""Tables of the site that are kept as text, each line of which the tests run.

A migration table (`tables/torch.txt`) has lines `theirs ==> ours`, headings `## ...`, and at its
top the statements that both sides need: `theirs: ...` and `ours: ...`. A table of functions
(`tables/scalar.txt`) has blocks: a heading `## ...` and a Python function `f`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).parent / "tables"
LIBRARIES = {"torch": "PyTorch", "jax": "JAX", "mxnet": "MXNet", "numba": "Numba"}


class Line(NamedTuple):
    """What is written in another library, and what here; `heading` is the part of the table."""

    heading: str
    theirs: str
    ours: str


class Migration(NamedTuple):
    """A migration table: the statements before its lines, by side, and the lines."""

    theirs: str
    ours: str
    lines: list[Line]


def migration(library: str) -> Migration:
    """Return the table of a library.

    Raises ValueError for a line that is neither a heading nor a pair.
    """
    before: dict[str, list[str]] = {"theirs": [], "ours": []}
    heading, lines = "", []
    for text in (TABLES / f"{library}.txt").read_text(encoding="utf-8").splitlines():
        side, _, statement = text.partition(": ")
        if side in before:
            before[side].append(statement)
        elif text.startswith("## "):
            heading = text[3:]
        elif " ==> " in text:
            theirs, ours = text.split(" ==> ")
            lines.append(Line(heading, theirs.strip(), ours.strip()))
        elif text:
            raise ValueError(f"{library}.txt: {text!r} is neither a heading nor `theirs ==> ours`")
    return Migration("\n".join(before["theirs"]), "\n".join(before["ours"]), lines)


def blocks(name: str) -> dict[str, str]:
    """Return the texts below the headings of a table, by heading."""
    parts = re.split(r"^## (.+)\n", (TABLES / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        heading: text.strip("\n") for heading, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def pairs(name: str) -> dict[str, str]:
    """Return the rows `key = value` of a table."""
    rows = (TABLES / name).read_text(encoding="utf-8").split("\n")
    return dict(row.split(" = ", 1) for row in rows if row)


def markdown(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown; bars within cells are escaped."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(
        f"| {' | '.join(c.replace('|', chr(92) + '|') for c in line)} |" for line in lines
    )
