"""What a loop does, as data. Emitters turn it into code; nothing of an emitter shows here.

A loop runs a scalar graph over an iteration space: outer rows, and an inner run of elements.
Its argument record is an array of 64-bit words at an address:

    word                content
    0                   inner extent, elements
    1                   rank of the outer space
    2 .. 2+P            address of the first element of each operand, then of each output
    .. +P               byte step of each along the inner run
    .. +S               scalar parameters, in the loop's compute dtype (low bytes)
    then, for each outer dimension, innermost first: extent, byte step of each operand, output

The range [lo, hi) a kernel is called with counts elements of the whole space in row-major
order (maps), or what gives one result each (reductions), so any caller may split it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from nbgraph.kernels.scalar.graph import Graph, Node

Layout = Literal["c", "0", "s"]  # inner step: one element, none, known at run time only
Request = Literal["write", "add"]
Form = Literal["map", "reduce", "totals", "leading", "fold", "scan", "at", "rows", "columns"]
Combine = Literal["add", "multiply", "max", "min"]
Access = Literal["plain", "scoped", "element"]

BLOCK = 1024  # elements a reduction's accumulator takes before its total is set down
STRETCHES = ((1 << 18, 1 << 12), (1 << 25, 1 << 14))  # of so many elements, and more: a block's
STRIP = 1024  # columns that a reduction along leading axes takes at once, elements streamed so
ROOM = {"float32": 1 << 16, "float64": 1 << 15}  # elements that stay in a core's second cache
VECTORS = 4  # that go through loops of a scalar function together
LANES = VECTORS * 64 // 4  # elements of those, at most
GROUP = 128  # rows it combines one after another before their total is set down


def stretch(elements: int) -> int:
    """Elements of a reduction's block where many threads share each: long enough that their loads
    outweigh what they do at its end, few enough that a large device has some thousands of blocks.
    It depends on the number of elements alone, so that the order of additions does, too.

    >>> stretch(10_000), stretch(1_000_000), stretch(100_000_000)
    (1024, 4096, 16384)
    """
    return max([BLOCK, *(block for least, block in STRETCHES if elements >= least)])


def _nodes(array: Operand | Output) -> tuple[Node, ...]:
    """The numbers of an element."""
    return (array.node,) if array.imag is None else (array.node, array.imag)


class Operand(NamedTuple):
    """An array that is read. With `imag` its elements are complex: pairs of numbers of `dtype`, of
    which `node` is the real part."""

    node: Node
    dtype: str
    layout: Layout
    whole: bool = False  # of rows side by side: one value a row
    imag: Node | None = None
    nodes = property(_nodes)


class Output(NamedTuple):
    """An array that is written: `node` stored as `dtype`, overwriting or accumulating. `imag`: see
    Operand."""

    node: Node
    dtype: str
    layout: Layout
    request: Request = "write"
    combine: Combine | None = None  # for reductions: how elements become one
    whole: bool = False  # a block is the whole run, so that its total is the result
    imag: Node | None = None
    nodes = property(_nodes)


class Total(NamedTuple):
    """What a pass over a row makes of it: `combine` of the elements' `node`. `leaf`, an argument
    of the graph, stands for it in later passes and in outputs."""

    leaf: Node
    node: Node
    combine: Combine


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Loop:
    """A loop over a scalar graph.

    form "map": every output gets one value an element. "reduce": outputs with `combine` get one
    value a block of the inner run, others one an element. "totals": the totals of blocks become
    one value a row; "leading": rows are combined column by column; see `totals`. "fold", "scan",
    "at": one binary scalar function applied along the inner run, in order; see `Fold`. "rows":
    `stages` of totals of a row, then outputs that may depend on them; see `rows`. There [lo, hi)
    counts rows; what has layout "0" is one value a row. `pieces`: a row is several runs; the last
    parameters are how many, and each array's bytes from run to run. "columns": the same for rows
    that lie side by side; see `columns`. `classes`: an operand with one number a row, a place in
    the row: a kernel of the host returns the code of the first that is none (`errors.class_code`).
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
    disjoint: bool = False  # outputs share no memory; with an operand all of an element or none
    stages: tuple[tuple[Total, ...], ...] = ()  # passes of a row program before the last
    pieces: bool = False
    index: Node | None = None  # an argument that stands for the place in the row, an int32
    classes: Node | None = None
    ordered: bool = True  # elements are gone through as they are counted, so an error can tell one
    streaming: bool = False  # outputs of a map go past the cache; they and operands share no memory
    # a run of a map goes on across the first outer dimension, where outputs and operands of layout
    # "c" go on, too; on hosts others, of layout "s", are copied to strips
    joined: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.streaming:
            assert self.form == "map", self.form
            assert all((o.layout, o.request) == ("c", "write") for o in self.outputs), self.outputs

    @property
    def results(self) -> list[Node]:
        """The numbers that are computed for an element, in the order of the outputs."""
        return [node for output in self.outputs for node in output.nodes]

    @property
    def pointers(self) -> int:
        """Operands and outputs: the number of addresses in the record."""
        return len(self.operands) + len(self.outputs)

    @property
    def steps_at(self) -> int:
        """Word where the inner byte steps begin."""
        return 2 + self.pointers

    @property
    def parameters_at(self) -> int:
        """Word where the scalar parameters begin."""
        return 2 + 2 * self.pointers

    @property
    def outer_at(self) -> int:
        """Word where the outer dimensions begin."""
        return self.parameters_at + len(self.parameters)

    @property
    def access(self) -> Access:
        """What may be said of loads and stores. "scoped": operands and the one output share no
        memory; in place that is as good as true, as what is stored depends on all that is read.
        "element": other elements share none. "plain": nothing."""
        written = [o for o in self.outputs if o.combine is None and o.layout != "0" and not o.whole]
        alone = self.form in ("map", "rows", "columns") and len(written) == 1
        if alone and written[0].request == "write":
            return "scoped"
        apart = self.disjoint or self.streaming
        return "element" if alone or (apart and written) else "plain"
