"""Products of 16-bit and 8-bit operands with 32-bit sums, by the processor's dot products.

AVX512_BF16 adds two products of bfloat16 to each float32 in one instruction, AVX512_VNNI four of
bytes to each int32. Both need the factors of a sum adjacent in a word, so a product is three
kernels: each operand is packed once, rows in groups of `ROWS` lines, columns of `COLUMNS`; then
tiles of ROWS x COLUMNS sums stay in registers over the whole depth (the scheme of Goto and van de
Geijn, "Anatomy of high-performance matrix multiplication", 2008). An element's sum has one order,
whichever thread computes it. The processor flushes subnormal bfloat16 factors and sums to zero;
sums of bytes wrap, as NumPy's do, whatever their signs.
"""

import functools
from typing import Literal

from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.compiler.lanes import Lanes, kernel
from nbgraph.kernels.compiler.written import Record

ROWS, COLUMNS = 12, 32  # of the sums in registers
WORD = 4  # bytes that an instruction multiplies for each sum
BLOCK = 8  # groups of rows, and of columns, per tile of the iteration

Along = Literal["lines", "depth"]


def _outward(t: Lanes, product: str, first: int) -> str:
    """Return the byte offset of an outer product, from the record's words at `first`."""
    rest, offset = t.cell("i64"), t.cell("i64")
    t.put(rest, product, "i64")
    t.put(offset, "0", "i64")
    with t.loop(0, t.word("outer")) as d:
        at = t.moved("%args", t.sum(t.product(d, 16), 8 * first))
        extent = t.value(f"load i64, ptr {at}")
        step = t.value(f"load i64, ptr {t.value(f'getelementptr i64, ptr {at}, i64 1')}")
        left = t.get(rest, "i64")
        index = t.number("srem", left, extent)
        t.put(rest, t.number("sdiv", left, extent), "i64")
        t.put(offset, t.sum(t.get(offset, "i64"), t.product(index, step)), "i64")
    return t.get(offset, "i64")


@functools.cache
def packing(item: int, along: Along, count: int) -> Kernel:
    """Return the kernel that packs lines of elements of `item` bytes in groups of `count`: word by
    word along the depth, for all lines of a group."""
    return kernel(f"pack_{along}", _Packing(item, along, count).text(), "float32")


class _Packing:
    """The text of the packing kernel; `along` says which two elements are adjacent."""

    def __init__(self, item: int, along: Along, count: int) -> None:
        self.lanes = lanes = -(-count // 16) * 16
        layout = Record(
            ("groups", "outer"), ("source", "target"), ("extent", "step", "depth", "deeper")
        )
        self.t = t = Lanes("float32", lanes, layout)
        self.item, self.along, self.count, self.each = item, along, count, WORD // item
        self.element, self.word = f"<{lanes} x i{8 * item}>", f"<{lanes} x i32>"
        self.masks, pointers = f"<{lanes} x i1>", f"<{lanes} x ptr>"
        bits = f"v{lanes}i{8 * item}"
        self.load = f"{self.element} @llvm.masked.load.{bits}.p0"
        self.gather = f"{self.element} @llvm.masked.gather.{bits}.v{lanes}p0"
        self.gather_words = f"{self.word} @llvm.masked.gather.v{lanes}i32.v{lanes}p0"
        self.store = f"void @llvm.masked.store.v{lanes}i32.p0"
        t.declare(f"declare {self.load}(ptr, {self.masks}, {self.element})")
        t.declare(f"declare {self.gather}({pointers}, {self.masks}, {self.element})")
        t.declare(f"declare {self.gather_words}({pointers}, {self.masks}, {self.word})")
        t.declare(f"declare {self.store}({self.word}, ptr, {self.masks})")
        self.deeper = t.word("deeper")
        self.own = ", ".join(f"i1 {int(k < count)}" for k in range(lanes))
        self.inside = self.offsets = ""  # of a group: lines that exist, and where they begin

    def text(self) -> str:
        """Return the text of the module."""
        t, count, each = self.t, self.count, self.each
        groups, extent, step, depth, source, target = (
            t.word(n) for n in ("groups", "extent", "step", "depth", "source", "target")
        )
        words = t.number("sdiv", t.sum(depth, each - 1), each)
        whole = t.number("sdiv", depth, each)
        rest = t.number("sub", depth, t.product(whole, each))
        numbers = ", ".join(f"i64 {k}" for k in range(self.lanes))
        steps = t.everywhere(step, "i64")
        self.offsets = t.value(f"mul <{self.lanes} x i64> {steps}, <{numbers}>")
        with t.loop("%lo", "%hi") as unit:
            line = t.product(t.number("srem", unit, groups), count)
            product = t.number("sdiv", unit, groups)
            base = t.sum(source, _outward(t, product, 8), t.product(line, step))
            begin = t.sum(target, t.product(unit, words, count * WORD))
            self.inside = t.value(f"and {self.masks} {t.mask(line, extent)}, <{self.own}>")
            with t.loop(0, whole) as p:
                at = t.sum(base, t.product(p, each, self.deeper))
                self._store_group(begin, p, self._word(at))
            at = t.sum(base, t.product(whole, each, self.deeper))
            for left in range(1, each):
                with t.when(t.value(f"icmp eq i64 {rest}, {left}")):
                    self._store_group(begin, whole, self._assembled(at, left))
        return t.text()

    def _word(self, at: str) -> str:
        """Return a word of each line, read directly or assembled."""
        if self.along == "lines":
            return self._assembled(at, self.each)
        return self._gathered(self.gather_words, self.word, at)

    def _assembled(self, at: str, count: int) -> str:
        """Return words of the next `count` elements of each line."""
        t, value = self.t, "zeroinitializer"
        for j in range(count):
            part = self._elements(t.sum(at, t.product(self.deeper, j)))
            part = t.value(f"zext {self.element} {part} to {self.word}")
            shift = ", ".join([f"i32 {8 * self.item * j}"] * self.lanes)
            part = t.value(f"shl {self.word} {part}, <{shift}>")
            value = t.value(f"or {self.word} {value}, {part}")
        return value

    def _elements(self, at: str) -> str:
        """Return an element of each line."""
        if self.along == "depth":
            return self._gathered(self.gather, self.element, at)
        pointer = self.t.moved(at, 0)
        return self.t.value(
            f"call {self.load}(ptr align {self.item} {pointer}, {self.masks} {self.inside}, "
            f"{self.element} zeroinitializer)"
        )

    def _gathered(self, gather: str, kind: str, at: str) -> str:
        """Return the values at `at` in each line."""
        t, lanes = self.t, self.lanes
        pointer = t.moved(at, 0)
        places = t.value(f"getelementptr i8, ptr {pointer}, <{lanes} x i64> {self.offsets}")
        return t.value(
            f"call {gather}(<{lanes} x ptr> align {self.item} {places}, "
            f"{self.masks} {self.inside}, {kind} zeroinitializer)"
        )

    def _store_group(self, begin: str, place: str, value: str) -> None:
        """Store the words of a group at a depth."""
        pointer = self.t.moved(begin, self.t.product(place, self.count * WORD))
        self.t.do(
            f"call {self.store}({self.word} {value}, ptr align 4 {pointer}, {self.masks} "
            f"<{self.own}>)"
        )


@functools.cache
def multiplying(dtype: str, *, bias: bool) -> Kernel:
    """Return the kernel that multiplies packed operands tile by tile, added to a bias if any."""
    return kernel(f"multiply_{dtype}", _Multiplying(dtype, bias=bias).text(), "float32")


class _Multiplying:
    """The text of the multiplying kernel: ROWS x COLUMNS sums in registers over the whole depth."""

    def __init__(self, dtype: str, *, bias: bool) -> None:
        addresses = ("columns", "rows", *(["bias"] if bias else []), "out")
        layout = Record(
            ("tiles", "outer"),
            addresses,
            ("u", "v", "words", "down", "panels", "groups", "across", "adds"),
        )
        self.t = t = Lanes("float32", 16, layout)
        self.floats = floats = dtype == "bfloat16"
        self.sums = "<16 x float>" if floats else "<16 x i32>"
        self.factors = "<32 x bfloat>" if floats else "<64 x i8>"
        self.item, self.element = (2, "<16 x bfloat>") if floats else (1, "<16 x i8>")
        bits = "v16bf16" if floats else "v16i8"
        name = "avx512bf16.dpbf16ps.512" if floats else "avx512.vpdpbusd.512"
        self.dot = f"{self.sums} @llvm.x86.{name}"
        self.load = f"{self.element} @llvm.masked.load.{bits}.p0"
        self.store = f"void @llvm.masked.store.{bits}.p0"
        t.declare(f"declare {self.dot}({self.sums}, {self.factors}, {self.factors})")
        t.declare(f"declare {self.store}({self.element}, ptr, <16 x i1>)")
        t.declare(f"declare {self.load}(ptr, <16 x i1>, {self.element})")
        self.cells = [[t.cell(self.sums) for _ in range(COLUMNS // 16)] for _ in range(ROWS)]
        self.u, self.v, self.words, self.down = (t.word(n) for n in ("u", "v", "words", "down"))
        self.bias, self.size = t.word("bias") if bias else "", len(layout.names)
        self.adding = t.value(f"icmp ne i64 {t.word('adds')}, 0")

    def text(self) -> str:
        """Return the text of the module."""
        t = self.t
        tiles, panels, groups, across, columns, rows, out = (
            t.word(n) for n in ("tiles", "panels", "groups", "across", "columns", "rows", "out")
        )
        with t.loop("%lo", "%hi") as unit:
            product, tile = t.number("sdiv", unit, tiles), t.number("srem", unit, tiles)
            target = t.sum(out, _outward(t, product, self.size))
            panel = t.product(t.number("srem", tile, across), BLOCK)
            group = t.product(t.number("sdiv", tile, across), BLOCK)
            last_panel = t.least(t.sum(panel, BLOCK), panels)
            last_group = t.least(t.sum(group, BLOCK), groups)
            with t.loop(panel, last_panel) as j, t.loop(group, last_group) as g:
                masks = [t.mask(t.product(t.sum(t.product(j, 2), h), 16), self.u) for h in range(2)]
                self._begin(t.product(j, COLUMNS), masks)
                right = t.sum(t.product(product, panels), j)
                left = t.sum(t.product(product, groups), g)
                self._sum(
                    t.sum(columns, t.product(right, self.words, COLUMNS * WORD)),
                    t.sum(rows, t.product(left, self.words, ROWS * WORD)),
                )
                self._store_group(target, t.product(g, ROWS), t.product(j, COLUMNS), masks)
        return t.text()

    def _begin(self, column: str, masks: list[str]) -> None:
        """Initialise the sums with zero, or with the elements of the bias from a column on."""
        t = self.t
        for h, mask in enumerate(masks):
            first = "zeroinitializer"
            if self.bias:
                place = t.moved(self.bias, t.product(t.sum(column, 16 * h), self.item))
                first = t.value(f"fpext {self.element} {self._load(place, mask)} to {self.sums}")
            for row in self.cells:
                t.put(row[h], first, self.sums)

    def _load(self, place: str, mask: str) -> str:
        """Return the elements at `place`, zero outside the mask."""
        return self.t.value(
            f"call {self.load}(ptr align {self.item} {place}, <16 x i1> {mask}, "
            f"{self.element} zeroinitializer)"
        )

    def _sum(self, columns: str, rows: str) -> None:
        """Add the products of a group of rows and a group of columns."""
        t = self.t
        with t.loop(0, self.words) as p:
            right, left = t.product(p, COLUMNS * WORD), t.product(p, ROWS * WORD)
            values = [
                t.value(f"load {self.factors}, ptr {t.moved(columns, at)}, align 4")
                for at in (t.sum(right, 64 * h) for h in range(COLUMNS // 16))
            ]
            for r, row in enumerate(self.cells):
                word = t.value(f"load i32, ptr {t.moved(rows, t.sum(left, WORD * r))}, align 4")
                words = t.everywhere(word, "i32")
                factor = t.value(f"bitcast <16 x i32> {words} to {self.factors}")
                for cell, value in zip(row, values, strict=True):
                    total = t.value(
                        f"call {self.dot}({self.sums} {t.get(cell, self.sums)}, "
                        f"{self.factors} {factor}, {self.factors} {value})"
                    )
                    t.put(cell, total, self.sums)

    def _store_group(self, target: str, first: str, column: str, masks: list[str]) -> None:
        """Store sums, rounded, from a row and a column on, except those beyond the result."""
        t, narrow = self.t, "fptrunc" if self.floats else "trunc"
        for r, row in enumerate(self.cells):
            line = t.sum(first, r)
            with t.when(t.value(f"icmp slt i64 {line}, {self.v}")):
                begin = t.sum(target, t.product(line, self.down), t.product(column, self.item))
                for h, (cell, mask) in enumerate(zip(row, masks, strict=True)):
                    place = t.moved(begin, 16 * h * self.item)
                    value = t.get(cell, self.sums)
                    value = t.value(f"{narrow} {self.sums} {value} to {self.element}")
                    self._store(place, value, mask)

    def _store(self, place: str, value: str, mask: str) -> None:
        """Store elements, added to the old ones if the record says so."""
        t, result = self.t, self.t.cell(self.element)
        t.put(result, value, self.element)
        with t.when(self.adding):
            t.put(result, self._added(self._load(place, mask), value), self.element)
        t.do(
            f"call {self.store}({self.element} {t.get(result, self.element)}, ptr align "
            f"{self.item} {place}, <16 x i1> {mask})"
        )

    def _added(self, a: str, b: str) -> str:
        """Return the sum of two vectors, rounded once."""
        t = self.t
        if not self.floats:
            return t.value(f"add {self.element} {a}, {b}")
        wide = [t.value(f"fpext {self.element} {x} to {self.sums}") for x in (a, b)]
        total = t.value(f"fadd {self.sums} {wide[0]}, {wide[1]}")
        return t.value(f"fptrunc {self.sums} {total} to {self.element}")
