"""Products of matrices with 64-byte vectors, in LLVM text with the interface of BLAS's gemm.

OpenBLAS chooses its kernels by names of processors; on one that it does not know it uses half of
each vector. This gemm has tiles of STRIPS vectors by COLUMNS sums in registers (the scheme of Goto
and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008). Lines of the first
operand are packed in strips, a vector wide, on the stack, within the core's second-level cache; the
second operand is read in place. An element's sum has one order, which depends on the number of
products: DEPTH of them at a time are added to the result.
"""

from nbgraph.kernels.compiler.lanes import Lanes
from nbgraph.kernels.compiler.written import Record
from nbgraph.kernels.loops.loop import ROOM
from nbgraph.kernels.scalar.kinds import ITEMSIZE

BYTES = 64  # of a vector
STRIPS, COLUMNS = 3, 8  # of a tile of sums
DEPTH = 256
_ARGUMENTS = "form_a form_b m n k alpha a lda b ldb beta c ldc"  # Fortran's


def gemm_text(dtype: str) -> str:
    """Return the text of c = alpha * a @ b + beta * c."""
    return _Gemm(dtype).text()


class _Lanes(Lanes):
    """Text with the signature of the Fortran function instead of a kernel's."""

    head = "void", ", ".join(f"ptr %{name}" for name in _ARGUMENTS.split())


class _Gemm:
    """The text of gemm. Matrices are column-major, as in BLAS."""

    def __init__(self, dtype: str) -> None:
        self.t = t = _Lanes(dtype, BYTES // ITEMSIZE[dtype], Record(("", ""), (), ()))
        self.elements, self.room = ROOM[dtype], t.room(ROOM[dtype])
        self.m, self.n, self.k, self.lda, self.ldb, self.ldc = (
            t.value(f"sext i32 {t.value(f'load i32, ptr %{x}')} to i64")
            for x in ("m", "n", "k", "lda", "ldb", "ldc")
        )
        self.turns, self.a_along, self.a_deeper = self._form("a", self.lda)
        _, self.b_deeper, self.b_along = self._form("b", self.ldb)

    def _form(self, name: str, ld: str) -> tuple[str, str, str]:
        """Return whether an operand is transposed, and the strides of its rows and columns in
        elements."""
        t = self.t
        turns = t.compare("ne", t.value(f"load i8, ptr %form_{name}"), ord("N"), "i8")
        down, along = (
            t.value(f"select i1 {turns}, i64 {a}, i64 {b}") for a, b in ((ld, 1), (1, ld))
        )
        return turns, down, along

    def text(self) -> str:
        """Return the complete text."""
        t, wide, lanes = self.t, STRIPS * self.t.lanes, self.t.lanes
        none = t.value(f"zext i1 {t.compare('eq', self.k, 0)} to i64")
        k = t.sum(self.k, none)  # an iteration without products applies beta
        blocks = t.sum(t.number("sdiv", t.sum(k, -1), DEPTH), 1)
        depth = t.number("sdiv", t.sum(k, blocks, -1), blocks)
        depth = t.number("and", t.sum(depth, lanes - 1), -lanes)
        strip = t.product(t.sum(depth, 1), lanes)  # strips' lines are in distinct cache sets
        most = t.product(t.number("sdiv", self.elements, t.product(strip, STRIPS)), wide)
        beta = t.cell(t.scalar)
        alpha = t.spread("%alpha")
        t.put(beta, t.value(f"load {t.scalar}, ptr %beta"), t.scalar)
        with t.loop(0, k, depth) as p:
            size = t.least(depth, t.number("sub", self.k, p))
            with t.loop(0, self.m, most) as i:
                rows = t.least(most, t.number("sub", self.m, i))
                source = t.sum(t.product(i, self.a_along), t.product(p, self.a_deeper))
                self._pack(t.at("%a", source), strip, rows, size)
                with t.loop(0, self.n, COLUMNS) as j, t.loop(0, rows, wide) as r:
                    left = t.number("sub", rows, r)
                    a = t.at(self.room, t.product(t.number("sdiv", r, lanes), strip))
                    b = t.at("%b", t.sum(t.product(j, self.b_along), t.product(p, self.b_deeper)))
                    c = t.at("%c", t.sum(t.product(j, self.ldc), i, r))
                    columns = t.least(COLUMNS, t.number("sub", self.n, j))
                    for strips in range(1, STRIPS + 1):
                        fits = [t.compare("sgt", left, (strips - 1) * lanes)]
                        if strips < STRIPS:
                            fits.append(t.compare("sle", left, strips * lanes))
                        with t.when(t.all(*fits)):
                            sums = self._sums(strips, (a, strip), b, columns, size)
                            mask = t.mask(str(lanes * (strips - 1)), left)
                            self._store_sums(sums, c, columns, mask, alpha, beta)
            t.put(beta, "1.0", t.scalar)
        return t.text("ret void")

    def _pack(self, source: str, strip: str, rows: str, size: str) -> None:
        """Pack strips of rows, square by square; squares are transposed if a row's elements are
        contiguous."""
        t, lanes = self.t, self.t.lanes
        for turned, lines, ends in ((True, rows, size), (False, size, rows)):
            way = (t.when if turned else t.unless)(self.turns)
            with way, t.loop(0, lines, lanes) as line, t.loop(0, ends, lanes) as begin:
                last, mask = t.sum(lines, -1), t.mask(begin, ends)
                own = [t.product(t.least(t.sum(line, r), last), self.lda) for r in range(lanes)]
                square = [t.load(t.at(source, t.sum(at, begin)), mask) for at in own]
                i, p = (line, begin) if turned else (begin, line)
                target = t.sum(t.product(t.number("sdiv", i, lanes), strip), t.product(p, lanes))
                for r, row in enumerate(_transposed(t, square) if turned else square):
                    t.store(t.at(self.room, t.sum(target, r * lanes)), row)

    def _sums(
        self, strips: int, a: tuple[str, str], b: str, columns: str, size: str
    ) -> list[list[str]]:
        """Return the sums of some strips for each of COLUMNS; the last one repeats if there are
        fewer."""
        t = self.t
        sums = [[t.cell() for _ in range(strips)] for _ in range(COLUMNS)]
        for cell in (cell for row in sums for cell in row):
            t.put(cell, "zeroinitializer")
        last = t.sum(columns, -1)
        lines = [t.at(b, t.product(t.least(j, last), self.b_along)) for j in range(COLUMNS)]
        with t.loop(0, size) as p:
            at, deeper = t.at(a[0], t.product(p, t.lanes)), t.product(p, self.b_deeper)
            values = [t.load(t.at(at, t.product(a[1], s))) for s in range(strips)]
            for row, line in zip(sums, lines, strict=True):
                factor = t.spread(t.at(line, deeper))
                for cell, value in zip(row, values, strict=True):
                    t.put(cell, t.fused(factor, value, t.get(cell)))
        return sums

    def _store_sums(
        self, sums: list[list[str]], c: str, columns: str, mask: str, alpha: str, beta: str
    ) -> None:
        """Store the sums of some columns in the result; the last strip is masked."""
        t = self.t
        old = t.get(beta, t.scalar)
        factor, adds = t.everywhere(old), t.value(f"fcmp une {t.scalar} {old}, 0.0")
        for j, row in enumerate(sums):
            with t.when(t.compare("slt", j, columns)):
                line = t.at(c, t.product(self.ldc, j))
                for s, cell in enumerate(row):
                    place, own = t.at(line, s * t.lanes), mask if s == len(row) - 1 else ""
                    t.put(cell, t.value(f"fmul {t.vector} {t.get(cell)}, {alpha}"))
                    with t.when(adds):
                        t.put(cell, t.fused(t.load(place, own), factor, t.get(cell)))
                    t.store(place, t.get(cell), own)


def _transposed(t: Lanes, square: list[str]) -> list[str]:
    """Return the columns of as many rows as a vector has lanes."""
    lanes, step = t.lanes, 1
    while step < lanes:
        for r in (r for r in range(lanes) if not r & step):
            pair = square[r], square[r + step]
            first = [k - step + lanes if k & step else k for k in range(lanes)]
            second = [k + lanes if k & step else k + step for k in range(lanes)]
            square[r], square[r + step] = (
                t.picked(pair[0], lanes, places, pair[1]) for places in (first, second)
            )
        step *= 2
    return square
