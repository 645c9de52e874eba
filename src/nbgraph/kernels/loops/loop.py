"""The description of a loop as data; emitters turn it into code and leave no trace here.

A loop runs a scalar graph over an iteration space: outer rows, and an inner run of elements.
Its argument record is an array of 64-bit words at an address:

    word                content
    0                   inner extent, elements
    1                   rank of the outer space
    2 .. 2+P            address of the first element of each operand, then of each output
    .. +P               byte step of each along the inner run
    .. +S               scalar parameters, in the loop's compute dtype (low bytes)
    then, for each outer dimension, innermost first: extent, byte step of each operand, output

The range [lo, hi) of a call counts elements of the whole space in row-major order (maps), or units
with one result each (reductions), so any caller may split it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from nbgraph.kernels.scalar.graph import Graph, Node

Layout = Literal["c", "0", "s"]  # inner step: one element, zero, known only at run time
Request = Literal["write", "add"]
Form = Literal["map", "reduce", "totals", "leading", "fold", "scan", "at", "rows", "columns"]
Combine = Literal["add", "multiply", "max", "min"]
Access = Literal["plain", "scoped", "element"]

BLOCK = 1024  # elements that a reduction accumulates before it stores a total
STRETCHES = ((1 << 18, 1 << 12), (1 << 25, 1 << 14))  # least elements, block size: see `stretch`
STRIP = 1024  # columns per call of a reduction along leading axes; elements streamed at once
ROOM = {"float32": 1 << 16, "float64": 1 << 15}  # elements that fit a core's second-level cache
VECTORS = 4  # vectors that go through loops of a scalar function together
LANES = VECTORS * 64 // 4  # their elements, at most
GROUP = 128  # rows that such a reduction combines before it stores a total


def stretch(elements: int) -> int:
    """Return the elements of a reduction's block that many threads share: long enough for loads to
    outweigh the work at its end, short enough for some thousands of blocks on a large device. It
    depends on the number of elements alone, as then does the order of additions.

    >>> stretch(10_000), stretch(1_000_000), stretch(100_000_000)
    (1024, 4096, 16384)
    """
    return max([BLOCK, *(block for least, block in STRETCHES if elements >= least)])


def _nodes(array: Operand | Output) -> tuple[Node, ...]:
    """Return the nodes of an element's numbers."""
    return (array.node,) if array.imag is None else (array.node, array.imag)


class Operand(NamedTuple):
    """An array that is read. With `imag` its elements are complex: pairs of numbers of `dtype`, and
    `node` is the real part."""

    node: Node
    dtype: str
    layout: Layout
    whole: bool = False  # among rows side by side: one value per row
    imag: Node | None = None
    nodes = property(_nodes)


class Output(NamedTuple):
    """An array that is written: `node` is stored as `dtype`, overwriting or accumulating. `imag`:
    see Operand."""

    node: Node
    dtype: str
    layout: Layout
    request: Request = "write"
    combine: Combine | None = None  # for reductions: how elements are combined
    whole: bool = False  # a block is the whole run, so its total is the result
    imag: Node | None = None
    nodes = property(_nodes)


class Total(NamedTuple):
    """A total of a pass over a row: the elements' `node` combined by `combine`. `leaf`, an argument
    of the graph, stands for it in later passes and in outputs."""

    leaf: Node
    node: Node
    combine: Combine


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Loop:
    """A loop over a scalar graph.

    form "map": every output has one value per element. "reduce": outputs with `combine` have one
    value per block of the inner run, others one per element. "totals": totals of blocks become one
    value per row; "leading": rows are combined column by column; see `totals`. "fold", "scan",
    "at": a binary scalar function is applied along the inner run, in order; see `Fold`. "rows":
    `stages` of totals of a row, then outputs that may depend on them; see `rows`. There [lo, hi)
    counts rows; layout "0" means one value per row. `pieces`: a row is several runs; the last
    parameters are their number, and each array's byte step between runs. "columns": the same for
    rows side by side; see `columns`. `classes`: an operand with a label per row, an index in the
    row; a host kernel returns the code of the first invalid one (`errors.class_code`).
    """

    name: str
    form: Form
    graph: Graph
    compute: Literal["float32", "float64"]
    operands: tuple[Operand, ...]
    parameters: tuple[Node, ...]
    outputs: tuple[Output, ...]
    block: int = BLOCK
    fastmath: bool = False
    disjoint: bool = False  # outputs share no memory; with an operand an element's or none
    stages: tuple[tuple[Total, ...], ...] = ()  # passes of a row program before the last
    pieces: bool = False
    index: Node | None = None  # an argument that stands for the index in the row, an int32
    classes: Node | None = None
    ordered: bool = True  # elements run in counting order, so an error can name one
    streaming: bool = False  # outputs bypass the cache; no output shares memory with an operand
    # runs continue across the first outer dimension, along which outputs and operands of layout "c"
    # are contiguous; on hosts other operands, of layout "s", are copied to strips
    joined: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.streaming:
            assert self.form == "map", self.form
            assert all((o.layout, o.request) == ("c", "write") for o in self.outputs), self.outputs

    @property
    def results(self) -> list[Node]:
        """The nodes computed per element, in the order of the outputs."""
        return [node for output in self.outputs for node in output.nodes]

    @property
    def pointers(self) -> int:
        """The number of addresses in the record: of operands and outputs."""
        return len(self.operands) + len(self.outputs)

    @property
    def steps_at(self) -> int:
        """The word at which the inner byte steps begin."""
        return 2 + self.pointers

    @property
    def parameters_at(self) -> int:
        """The word at which the scalar parameters begin."""
        return 2 + 2 * self.pointers

    @property
    def outer_at(self) -> int:
        """The word at which the outer dimensions begin."""
        return self.parameters_at + len(self.parameters)

    @property
    def access(self) -> Access:
        """What loads and stores may assume. "scoped": operands and the only output share no memory;
        true in effect in place, as a store depends on all loads. "element": other elements share
        none. "plain": nothing."""
        written = [o for o in self.outputs if o.combine is None and o.layout != "0" and not o.whole]
        alone = self.form in ("map", "rows", "columns") and len(written) == 1
        if alone and written[0].request == "write":
            return "scoped"
        apart = self.disjoint or self.streaming
        return "element" if alone or (apart and written) else "plain"
