"""Texts of kernels that run the same lines for each unit of work, by thread or by range.

A unit has an index `i`, which runs over parts, the last one fastest. A GPU divides `i` for each
unit. A host runs tiles of `share` units of a run of the fastest part, in nested loops: what is the
same for all units of a run, or of a slower part, is computed once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nbgraph.kernel_errors import INDEX_CODE
from nbgraph.kernels.compiler.written import Record, function, inner

Parts = Sequence[tuple[str, str]]  # names, and their extents as text; the first has none
_WORD = re.compile(r"[A-Za-z_]\w*")
_SET = re.compile(r"(?m)^ *(?:for )?(\w+) (?:[-+*|&]?=|in) ")


@dataclass(frozen=True, slots=True)
class UnitText:
    """The text of a kernel over units: `lines` for each `i` below `count`, which runs over `parts`;
    `before`: lines that come first; `end`: the return value; `steps`: names, extents and lines of
    loops that hosts run in place of `lines`, each for all units of a tile. Lines before the first
    that names `i` or the last part must not depend on what units store."""

    name: str
    record: Record
    count: str
    lines: tuple[str, ...]
    parts: Parts = ()
    before: Sequence[str] = ()
    end: str = "0"
    steps: Sequence[tuple[str, str, Sequence[str]]] = ()

    def device(self, *, narrow: bool) -> str:
        """Return the text `name(args, start, step)`; `narrow` says that indices fit 32 bits.

        >>> text = UnitText("clear", Record(("n", "m"), ("out",), ()), "n", ("store(y, i, 0)",))
        >>> print(text.device(narrow=True).rstrip())
        def clear(args, start, step):
            n = word(args, 0)
            m = word(args, 1)
            out = word(args, 2)
            i = start
            while i < n:
                store(y, i, 0)
                i += step
            return 0
        """
        parts = split("i", *self.parts, narrow=narrow) if self.parts else []
        loop = ["i = start", f"while i < {self.count}:"]
        loop += inner([*parts, *self.lines, "i += step"])
        return self._text("start, step", loop, self.record)

    def host(self, *, pieces: bool) -> str:
        """Return the text `name(args, lo, hi)` for tiles of `share` units of a run, the last word
        of the record; without `pieces`, for whole runs.

        >>> lines = "at = row * 2", "store(y, i, at + col)"
        >>> layout, parts = Record(("n", "m"), ("out",), ()), [("row", ""), ("col", "m")]
        >>> print(UnitText("f", layout, "n", lines, parts).host(pieces=False).rstrip())
        def f(args, lo, hi):
            n = word(args, 0)
            m = word(args, 1)
            out = word(args, 2)
            tile = lo
            rest0 = int64(tile)
            row = int64(rest0)
            begin = tile * m
            while tile < hi:
                at = row * 2
                for col in range(0, m):
                    i = begin + col
                    store(y, i, at + col)
                tile += 1
                begin += m
                row += 1
            return 0
        """
        parts = list(self.parts) or [("unit", "")]
        fastest, extent = parts.pop()
        extent, number = extent or self.count, "tile"
        if pieces:
            parts, number = [*parts, ("piece", "pieces")], "tile // pieces"
        lines = [line for each in self.lines * (not self.steps) for line in each.split("\n")]
        names, ends = [name for name, _ in parts], list[int]()
        for k in range(len(parts)):
            ends.append(_invariant_lines(lines, {*names[k + 1 :], fastest, "i"}))
        stop = f"piece * share, min(piece * share + share, {extent})" if pieces else f"0, {extent}"

        def run(lines: Sequence[str]) -> list[str]:
            if not lines or extent == "1":
                return [*[f"{fastest} = 0", "i = begin"][: 2 * len(lines)], *lines]
            return [f"for {fastest} in range({stop}):", *inner([f"i = begin + {fastest}", *lines])]

        loop = run(lines[ends[-1] if ends else 0 :])
        for name, count, each in self.steps:
            once = _invariant_lines(each, {fastest, "i"})
            loop += [f"for {name} in range({count}):", *inner([*each[:once], *run(each[once:])])]
        loop.append("tile += 1")
        for k in reversed(range(len(parts))):
            name, most = parts[k]
            behind = [f"{names[k + 1]} = 0"] if k + 1 < len(parts) else []
            behind += [f"begin += {extent}"] if k == len(parts) - 1 - pieces else []
            within = f"while {name} < {most} and tile < hi:" if k else "while tile < hi:"
            own = lines[ends[k - 1] if k else 0 : ends[k]]
            loop = [within, *inner([*own, *loop, *behind, f"{name} += 1"])]
        numbers = split("tile", *parts, narrow=False) if parts else []
        words = Record(
            self.record.names[:2], self.record.names[2:], ["share", "pieces"][: 2 * pieces]
        )
        head = ["tile = lo", *numbers, f"begin = {number} * {extent}"]
        return self._text("lo, hi", [*head, *loop], words)

    def _text(self, bounds: str, loop: Sequence[str], record: Record) -> str:
        head = f"def {self.name}(args, {bounds}):"
        return function(head, *record.reading(), *self.before, *loop, f"return {self.end}")


def split(index: str, *parts: tuple[str, str], narrow: bool) -> list[str]:
    """Return lines that split `index` into the numbers of `parts` (a name and its extent), the last
    of which runs fastest. The first part needs no extent.

    >>> split("i", ("row", ""), ("col", "width"), narrow=True)[1:]  # doctest: +NORMALIZE_WHITESPACE
    ['rest1 = uint32(rest0 // uint32(width))',
     'col = int64(rest0) - int64(rest1) * width',
     'row = int64(rest1)']
    """
    wide = "uint32" if narrow else "int64"
    lines = [f"rest0 = {wide}({index})"]
    for k, (name, extent) in enumerate(reversed(parts[1:])):
        lines.append(f"rest{k + 1} = {wide}(rest{k} // {wide}({extent}))")
        lines.append(f"{name} = int64(rest{k}) - int64(rest{k + 1}) * {extent}")
    return [*lines, f"{parts[0][0]} = int64(rest{len(parts) - 1})"]


def _invariant_lines(lines: Sequence[str], varying: set[str]) -> int:
    """Return how many leading lines do not depend on `varying`, nor are overwritten later."""
    free = [varying.isdisjoint(_WORD.findall(line)) for line in lines]
    count = free.index(False) if False in free else len(lines)
    for k in range(count, 0, -1):
        first, rest = ({*_SET.findall("\n".join(part))} for part in (lines[:k], lines[k:]))
        if first.isdisjoint(rest) and not "".join(lines[k : k + 1]).startswith(" "):
            return k
    return 0


def checked_index(at: str, index: str, place: str, size: str) -> list[str]:
    """Return the lines that set `at` to an index from 0 on, or return if it is out of bounds."""
    return [
        f"{at} = int64(load({index}, {place}))",
        f"if {at} < 0 - {size} or {at} >= {size}:",
        f"    return {at} * 256 + {INDEX_CODE}",
        f"if {at} < 0:",
        f"    {at} += {size}",
    ]
