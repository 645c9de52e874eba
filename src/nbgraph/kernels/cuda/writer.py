"""The base of GPU kernels: indices of elements, the scalar body as a function, and totals.

The text of a kernel is `def name(args, start, step)`. Rank and index width are compile-time
properties of the grid, so offsets are computed without loops and, if possible, in 32 bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nbgraph.errors import CompileError
from nbgraph.kernels import vector_math
from nbgraph.kernels.cuda.grid import BLOCKS, Grid
from nbgraph.kernels.loops.body import TRIGONOMETRIC
from nbgraph.kernels.loops.loop import Loop, Operand
from nbgraph.kernels.loops.writer import Source, Writer
from nbgraph.kernels.scalar.graph import Node

_WORD = re.compile(r"[A-Za-z_]\w*")
_PREFIXED = re.compile(r"(?:lane|was|new|raw|dim|rest|to)\d*(?:_|$)")


class Device(Writer):
    """A kernel of `(args, start, step)`; see `nbgraph.kernels.cuda`."""

    signature = "args, start, step"
    words = frozenset(
        "step count total groups columns rows width stop first place batch group r at "
        "thread barrier traded shared element inlined count below y_at load2 load4 load8 store2 "
        "begin mine store4 store8 any_sin any_cos any_tan within".split()
    )

    def __init__(self, loop: Loop, grid: Grid) -> None:
        self.grid = grid
        super().__init__(loop)

    def _unique(self, name: str) -> str:
        """See Writer; values of one of several elements have prefixes."""
        return super()._unique(f"a_{name}" if _PREFIXED.match(name) else name)

    def source(self) -> Source:
        source = super().source()
        externs = source.namespace.externs
        if externs:
            functions = [getattr(f, "fn", f) for f in externs.values()]
            names = ", ".join(str(getattr(f, "__name__", f)) for f in functions)
            raise CompileError(
                f"{self.loop.name}: calls {names}, whose source text cannot be found, so that no "
                "GPU code can be made of it; define it in a file or notebook cell"
            )
        return source

    # places -----------------------------------------------------------------------------------

    def narrow(self, text: str) -> str:
        """Return an index in the width that the grid needs."""
        return f"uint32({text})" if self.grid.narrow else text

    def divided(self, indent: int, whole: str, rest: str, index: str, by: str) -> None:
        """Set `whole` and `rest` to an index divided by `by`, as 64-bit numbers."""
        index, by = self.narrow(index), self.narrow(by)
        self.line(indent, f"{whole} = int64({self.narrow(f'{index} // {by}')})")
        self.line(indent, f"{rest} = int64({index}) - {whole} * int64({by})")

    def rows(self, indent: int, row: str) -> None:
        """Set dim0, dim1, ... to the outer indices of a row, innermost first."""
        width = 1 + self.loop.pointers
        rest = self.narrow(row)
        for d in range(self.grid.rank - 1):
            extent = self.narrow(f"word(args, {self.loop.outer_at + d * width})")
            self.line(indent, f"rest{d} = {self.narrow(f'{rest} // {extent}')}")
            self.line(indent, f"dim{d} = {self.narrow(f'{rest} - rest{d} * {extent}')}")
            rest = f"rest{d}"
        if self.grid.rank:
            self.line(indent, f"dim{self.grid.rank - 1} = {rest}")

    def extent(self, indent: int, name: str, first: str) -> None:
        """Set `name` to the number of rows times `first`."""
        width = 1 + self.loop.pointers
        self.line(indent, f"{name} = {first}")
        for d in range(self.grid.rank):
            self.line(indent, f"{name} *= word(args, {self.loop.outer_at + d * width})")

    def base(self, k: int, row: str) -> str:
        """See Writer; call `rows` for the row before."""
        width = 1 + self.loop.pointers
        text = f"word(args, {2 + k})"
        for d in range(self.grid.rank):
            text += f" + int64(dim{d}) * word(args, {self.loop.outer_at + d * width + 1 + k})"
        return text

    def split(self, indent: int, index: str, length: str) -> None:
        """Set row, its outer indices and col to the parts of an index over all rows."""
        length = self.narrow(length)
        self.line(indent, f"at = {self.narrow(index)}")
        self.line(indent, f"row = {self.narrow(f'at // {length}')}")
        self.line(indent, f"col = {self.narrow(f'at - row * {length}')}")
        self.rows(indent, "row")

    # the scalar body ----------------------------------------------------------------------------

    def element(
        self,
        name: str,
        roots: Sequence[Node],
        results: Callable[[Sequence[str]], Sequence[str]],
        olds: Sequence[str] = (),
    ) -> Callable[[int], str]:
        """Write a function of an element's values in memory; return what makes the text of its call
        for a lane. `olds`: outputs whose old values it also reads."""
        known = dict(self.leaves)
        needed = self.needed(roots)
        varying = [
            (n, o)
            for n, o in zip(self.names, self.loop.operands, strict=True)
            if o.node.id in needed and o.node.id not in known
        ]
        lines = self.captured(lambda: self._element(varying, roots, results))
        before, behind = self.namespace.noting(lines, "fault", 0)
        lines = [*before, *lines[:-1], *behind, lines[-1]]
        words = set(_WORD.findall("\n".join(lines)))
        uniform = sorted({n for n in (*known.values(), "fault") if n in words})
        names = [*(f"raw_{n}" for n, _ in varying), *(f"was_{y}" for y in olds), *uniform]
        head = f"def {name}({', '.join(names)}):"
        self.parts += [head, "    inlined()", *(f"    {x}" for x in lines), "", ""]

        def call(lane: int) -> str:
            read = [*(f"lane{lane}_{n}" for n, _ in varying), *(f"was{lane}_{y}" for y in olds)]
            return f"{name}({', '.join([*read, *uniform])})"

        return call

    def _element(
        self,
        varying: Sequence[tuple[str, Operand]],
        roots: Sequence[Node],
        results: Callable[[Sequence[str]], Sequence[str]],
    ) -> None:
        for name, operand in varying:
            self.line(0, f"{name} = {self.computed(operand, f'raw_{name}')}")
            self.leaves[operand.node.id] = name
        self.line(0, f"return {', '.join(results(self.body(0, roots)))}")

    def function(self, node: Node, *, small: bool = False) -> str:
        """See Writer. Trigonometry reduces large arguments in a branch of the thread; vectors of
        the CPU repeat the whole run instead."""
        if node.data not in TRIGONOMETRIC:
            return super().function(node)
        name = f"any_{node.data}"
        if f"def {name}(x):" not in self.parts:
            compute = self.loop.compute
            limit = self.loop.graph.const(vector_math.TRIG_BOUND[compute])
            near, far = (self.namespace.function(node.data + end) for end in ("_small", ""))
            wide = f"abs(x) > {self.namespace.constant(limit)}"
            text = f"    return {far}(x) if {wide} else {near}(x)"
            self.parts += [f"def {name}(x):", "    inlined()", text, "", ""]
        return name

    def moving(self, roots: Sequence[Node]) -> list[tuple[int, str, Operand]]:
        """Return the operands that `roots` need per element: index in the record, name, operand."""
        needed = self.needed(roots)
        return [
            (k, n, o)
            for k, (n, o) in enumerate(zip(self.names, self.loop.operands, strict=True))
            if o.node.id in needed
        ]

    # memory of an element, or of several side by side ------------------------------------------

    def at(self, name: str, index: str) -> str:
        """Return the text of pointer and index of an element; "0" is the pointer's own element."""
        layout = dict(self.arrays())[name].layout
        if index == "0" or layout == "0":
            return f"{name}_p, 0"
        return (
            f"shifted({name}_p, ({index}) * {name}_step), 0"
            if layout == "s"
            else f"{name}_p, {index}"
        )

    def fetch(
        self, indent: int, name: str, prefix: str, lanes: int, index: str, first: int = 0
    ) -> None:
        """Load `lanes` elements as `prefix0_name` and so on."""
        names = [f"{prefix}{j}_{name}" for j in range(first, first + lanes)]
        if lanes > 1 and dict(self.arrays())[name].layout != "0":
            self.line(indent, f"{', '.join(names)} = load{lanes}({name}_p, {index})")
            return
        self.line(indent, f"{names[0]} = load({self.at(name, index)})")
        for other in names[1:]:
            self.line(indent, f"{other} = {names[0]}")

    def leave(
        self, indent: int, name: str, prefix: str, lanes: int, index: str, first: int = 0
    ) -> None:
        """Store `lanes` elements."""
        names = ", ".join(f"{prefix}{j}_{name}" for j in range(first, first + lanes))
        if lanes > 1:
            self.line(indent, f"store{lanes}({name}_p, {index}, {names})")
        else:
            self.line(indent, f"store({self.at(name, index)}, {names})")

    # threads of a block -------------------------------------------------------------------------

    def each(self, name: str) -> None:
        """Begin the loop over `total` rows, or blocks of a run: `name` is the one of this thread's
        team. A team without one runs along with its warp on the last one, with no elements: `own`
        is the number of its elements."""
        teams = self.grid.teams
        if teams == 1:
            self.line(1, f"{name} = start")
            self.line(1, f"while {name} < total:")
            return
        self.line(1, f"begin = start * {teams}")
        self.line(1, "while begin < total:")
        self.line(2, f"mine = begin + thread() // {self.grid.team}")
        self.line(2, f"{name} = min(mine, total - 1)")

    def go_on(self, name: str) -> None:
        """Write the step to the next row or block."""
        teams = self.grid.teams
        self.line(2, f"{name} += step" if teams == 1 else f"begin += step * {teams}")

    def own(self, length: str) -> str:
        """Return the text of the number of elements of the row that are the team's."""
        return length if self.grid.teams == 1 else f"select(mine < total, {length}, 0)"

    def once(self, indent: int) -> int:
        """See Writer: one thread of each team that has a row."""
        test = "thread() == 0"
        if self.grid.teams > 1:
            test = "mine < total"
            test += f" and thread() % {self.grid.team} == 0" if self.grid.team > 1 else ""
        self.line(indent, f"if {test}:")
        return indent + 1

    @property
    def member(self) -> str:
        """The text of the thread's number in its team."""
        team = self.grid.team
        return "thread()" if self.grid.teams == 1 else f"thread() % {team}" if team > 1 else "0"

    def shared_out(self, indent: int, length: str, some: Callable[[int, int, int], None]) -> None:
        """Write loops in which threads of a team handle the elements of a run: `some` writes the
        text for vector or element `i` of so many lanes, and for more at a distance of a team. A
        thread handles the same elements in each such loop."""
        lanes = self.grid.lanes
        self.line(indent, f"i = {self.member}")
        if lanes == 1:
            self._in_turn(indent, length, 1, self.grid.ahead, some)
            return
        self.line(indent, f"count = {length} // {lanes}")
        self._in_turn(indent, "count", lanes, self.grid.ahead, some)
        self.line(indent, f"i = count * {lanes} + {self.member}")
        self._in_turn(indent, length, 1, 1, some)

    def _in_turn(
        self, indent: int, stop: str, lanes: int, most: int, some: Callable[[int, int, int], None]
    ) -> None:
        team = self.grid.team
        for count in sorted({1, most}, reverse=True):
            last = f" + {(count - 1) * team}" if count > 1 else ""
            self.line(indent, f"while i{last} < {stop}:")
            some(indent + 1, lanes, count)
            self.line(indent + 1, f"i += {count * team}")

    def beside(self, count: int) -> list[str]:
        """Return the texts of `i` and of the indices that follow at distances of a team."""
        return ["i", *(f"i + {k * self.grid.team}" for k in range(1, count))]

    def together(self, combine: str, kind: str, value: str) -> str:
        """Return the text of `combine` over a team's threads, all of which get the result."""
        assert self.loop.form in BLOCKS, self.loop.form
        name = f"together_{combine}_{kind}"
        if not any(line.startswith(f"def {name}(") for line in self.parts):
            self.parts += together_text(name, combine, kind, self.grid.team)
        return f"{name}({value})"


def together_text(name: str, combine: str, kind: str, threads: int) -> list[str]:
    """Return a function that exchanges values within a warp, then one value per warp.

    The order follows the threads' numbers, so it is the same in each run.
    """
    value = f"acc_{combine}(value, traded(value, {{distance}}))"
    distances = [d for d in (16, 8, 4, 2, 1) if d < threads]
    lines = [f"def {name}(value):", "    inlined()"]
    lines += [f"    value = {value.format(distance=d)}" for d in distances]
    warps = threads // 32
    if warps > 1:
        lines += [
            f"    trade = shared_{kind}()",
            "    warp = thread() // 32",
            "    if thread() % 32 == 0:",
            "        store(trade, warp, value)",
            "    barrier()",
            f"    value = load(trade, (thread() % 32) % {warps})",
            *(f"    value = {value.format(distance=d)}" for d in distances if d < warps),
            "    barrier()",
        ]
    return [*lines, "    return value", "", ""]
