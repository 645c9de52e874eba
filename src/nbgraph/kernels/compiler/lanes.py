"""Kernels written as LLVM text with vectors of a fixed width: loops, cells, masked loads.

They spell out what LLVM's vectorisers do not find: tiles of vectors that stay in registers over an
inner loop, and lanes that lie outside an array.
"""

from collections.abc import Sequence

from nbgraph.codegen.text import Function
from nbgraph.kernels.compiler.kernel import Kernel, of_source
from nbgraph.kernels.compiler.written import Compute, Record
from nbgraph.kernels.loops.body import Namespace
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.kinds import ITEMSIZE

_SCALAR = {"float32": "float", "float64": "double"}
_SHORT = {"float": "f32", "double": "f64"}


class Lanes(Function):
    """The text of a kernel `(args, lo, hi)` whose vectors have `lanes` elements of a dtype."""

    head = "i64", "i64 %args, i64 %lo, i64 %hi"  # result and arguments

    def __init__(self, dtype: str, lanes: int, layout: Record) -> None:
        super().__init__(*self.head)
        self.lanes, self.item, self.scalar = lanes, ITEMSIZE[dtype], _SCALAR[dtype]
        self.kind = self.vector = self.of(lanes)
        self._layout = layout

    def of(self, lanes: int) -> str:
        """Return the type of vectors of `lanes` elements."""
        return f"<{lanes} x {self.scalar}>"

    # numbers ------------------------------------------------------------------------------------

    def word(self, name: str) -> str:
        """Return a word of the record."""
        at = self.moved("%args", str(8 * self._layout.place(name)))
        return self.value(f"load i64, ptr {at}")

    def moved(self, base: str, offset: str | int) -> str:
        """Return a pointer `offset` bytes after an address that is a number."""
        return self.value(f"inttoptr i64 {self.sum(base, offset)} to ptr")

    def at(self, pointer: str, index: str | int) -> str:
        """Return a pointer to an element of an array."""
        return self.place(self.scalar, pointer, index)

    def pointer(self, name: str) -> str:
        """Return a pointer to the array whose address is a word of the record."""
        return self.value(f"inttoptr i64 {self.word(name)} to ptr")

    def room(self, elements: int) -> str:
        """Return memory for so many elements on the stack, aligned to a cache line."""
        return self.cell(f"[{elements} x {self.scalar}]", 64)

    # vectors ------------------------------------------------------------------------------------

    def everywhere(self, value: str, kind: str = "", lanes: int = 0) -> str:
        """Return a vector with the same value in each lane."""
        kind, lanes = kind or self.scalar, lanes or self.lanes
        one = self.value(f"insertelement <{lanes} x {kind}> poison, {kind} {value}, i64 0")
        return self.value(
            f"shufflevector <{lanes} x {kind}> {one}, <{lanes} x {kind}> poison, "
            f"<{lanes} x i32> zeroinitializer"
        )

    def spread(self, pointer: str) -> str:
        """Return a vector with the element at `pointer` in each lane."""
        return self.everywhere(self.value(f"load {self.scalar}, ptr {pointer}"))

    def mask(self, first: str, end: str, lanes: int = 0, step: int = 1) -> str:
        """Return which lanes, `step` indices apart from `first` on, lie within [0, end)."""
        lanes = lanes or self.lanes
        kind = f"<{lanes} x i32>"
        starts, ends = (
            self.everywhere(self.value(f"trunc i64 {n} to i32"), "i32", lanes) for n in (first, end)
        )
        listed = ", ".join(f"i32 {step * k}" for k in range(lanes))
        places = self.value(f"add {kind} {starts}, <{listed}>")
        return self.value(f"icmp ult {kind} {places}, {ends}")

    def both(self, mask: str, holds: str, lanes: int = 0) -> str:
        """Return the mask if the i1 `holds`, else an empty mask."""
        kind = f"<{lanes or self.lanes} x i1>"
        return self.value(f"select i1 {holds}, {kind} {mask}, {kind} zeroinitializer")

    def load(self, pointer: str, mask: str = "", lanes: int = 0) -> str:
        """Return the vector at `pointer`; lanes outside the mask are zeros that are not read."""
        kind = self.of(lanes or self.lanes)
        if not mask:
            return self.value(f"load {kind}, ptr {pointer}, align {self.item}")
        name = self._masked("load", lanes, kind)
        return self.value(
            f"call {kind} {name}(ptr align {self.item} {pointer}, "
            f"<{lanes or self.lanes} x i1> {mask}, {kind} zeroinitializer)"
        )

    def store(self, pointer: str, value: str, mask: str = "", lanes: int = 0) -> None:
        """Store a vector at `pointer`, or its lanes in the mask.

        A whole vector is stored without its mask: masked stores of AVX2 take 12 cycles and more on
        AMD's processors.
        """
        kind, n = self.of(lanes or self.lanes), lanes or self.lanes
        plain = f"store {kind} {value}, ptr {pointer}, align {self.item}"
        if not mask:
            self.do(plain)
            return
        every, name = f"@llvm.vector.reduce.and.v{n}i1", self._masked("store", lanes, kind)
        self.declare(f"declare i1 {every}(<{n} x i1>)")
        whole = self.value(f"call i1 {every}(<{n} x i1> {mask})")
        with self.when(whole):
            self.do(plain)
        with self.unless(whole):
            self.do(
                f"call void {name}({kind} {value}, ptr align {self.item} {pointer}, "
                f"<{n} x i1> {mask})"
            )

    def fetch(self, pointer: str, *, write: bool = False) -> None:
        """Prefetch the cache line at `pointer`, which need not be mapped."""
        self.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.do(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 {int(write)}, i32 3, i32 1)")

    def _masked(self, what: str, lanes: int, kind: str) -> str:
        n = lanes or self.lanes
        name = f"@llvm.masked.{what}.v{n}{_SHORT[self.scalar]}.p0"
        if what == "load":
            self._declared[f"declare {kind} {name}(ptr, <{n} x i1>, {kind})"] = None
        else:
            self._declared[f"declare void {name}({kind}, ptr, <{n} x i1>)"] = None
        return name

    def picked(self, value: str, lanes: int, places: Sequence[int], other: str = "poison") -> str:
        """Return elements at `places` of a vector of so many lanes, or of two concatenated."""
        listed = ", ".join(f"i32 {k}" for k in places)
        kind = self.of(lanes)
        return self.value(
            f"shufflevector {kind} {value}, {kind} {other}, <{len(places)} x i32> <{listed}>"
        )

    def fused(self, a: str, b: str, c: str) -> str:
        """Return a * b + c, as one instruction where the processor has one."""
        name = f"@llvm.fmuladd.v{self.lanes}{_SHORT[self.scalar]}"
        kind = self.vector
        self._declared[f"declare {kind} {name}({kind}, {kind}, {kind})"] = None
        return self.value(f"call {kind} {name}({kind} {a}, {kind} {b}, {kind} {c})")

    def added(self, a: str, b: str) -> str:
        """Return the sum of two vectors."""
        return self.value(f"fadd {self.vector} {a}, {b}")

    def total(self, value: str) -> str:
        """Return the sum of the lanes, added half to half."""
        lanes = self.lanes
        while lanes > 1:
            low, high = range(lanes // 2), range(lanes // 2, lanes)
            a, b = (self.picked(value, lanes, part) for part in (low, high))
            lanes //= 2
            value = self.value(f"fadd {self.of(lanes)} {a}, {b}")
        return self.value(f"extractelement <1 x {self.scalar}> {value}, i64 0")

    def write(self, pointer: str, value: str) -> None:
        """Store one element at `pointer`."""
        self._lines.append(f"  store {self.scalar} {value}, ptr {pointer}")


def kernel(name: str, text: str, compute: Compute) -> Kernel:
    """Return the kernel of LLVM text written by hand, which both compilers accept unchanged."""
    source = Source(name, text, Namespace(compute), fastmath=False, lowered=True)
    return of_source(source, Loop(name, "map", Graph(), compute, (), (), ()), name)
