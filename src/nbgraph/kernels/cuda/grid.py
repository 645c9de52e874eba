"""Compile-time properties of a kernel besides its loop: the shape of its grid's work."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.kernels.loops.loop import Form, Loop
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import ITEMSIZE

VECTOR = 16  # bytes of the longest load and store
MOST_LANES = 8
THREADS = 256  # of a block, where units are threads
MOST_THREADS = 512  # with 128 registers each
WARP = 32
BLOCKS: tuple[Form, ...] = ("reduce", "totals", "rows")  # forms whose units are blocks of threads
LARGEST = 1 << 31  # elements that 32-bit indices count
WAVES = 32  # most blocks of a launch, as a multiple of those a device holds
FEW = 512  # blocks of threads that occupy all parts of a large device
MOST_VECTORS, MOST_REGISTERS = 8, 64  # per thread for a row: vectors, and registers
AHEAD, MOST_AHEAD = 64, 4  # bytes that a thread prefetches, and vectors at most
_LARGE = 512  # operations of the longest text that prefetches
_CALL = 24  # operations of a call of the library
_STRAIGHT = frozenset(("lgamma",))  # long functions without branches, which are interleaved
_SIDE_BY_SIDE = 16  # of these in a thread: more would spill registers
_RECORD = 2  # words before the addresses


class Grid(NamedTuple):
    """Compile-time properties of a launch.

    `lanes`: contiguous elements that a thread handles at once; `rank`: outer dimensions of the
    record; `narrow`: whether 32 bits index all elements; `threads`: per block; `ahead`: vectors, or
    elements, that a thread loads before it uses the first; `teams`: rows that a block handles at
    once, each by a team of its threads; `resident`: vectors of a row that a thread keeps in
    registers for all passes, or 0; all threads have `full` of these, some also a last one.
    """

    lanes: int = 1
    rank: int = 0
    narrow: bool = True
    threads: int = THREADS
    ahead: int = 1
    teams: int = 1
    resident: int = 0
    full: int = 0

    @property
    def team(self) -> int:
        """Threads that share a row; of one warp if a block has several teams."""
        return self.threads // self.teams


def lanes(loop: Loop) -> int:
    """Return the elements of a vector if the loop's layouts allow vectors, else 1."""
    arrays = [*loop.operands, *loop.outputs]
    moving = [a for a in arrays if a.layout != "0" and not getattr(a, "combine", None)]
    uneven = loop.pieces or any(a.layout == "s" for a in moving)
    if loop.form not in ("map", *BLOCKS) or uneven or not moving:
        return 1
    count = max(1, min(MOST_LANES, VECTOR // max(ITEMSIZE[a.dtype] for a in moving)))
    calls = sum(node.op == "call" and node.data in _STRAIGHT for node in loop.graph.nodes)
    while count * calls > _SIDE_BY_SIDE:
        count //= 2
    return count


def choose(loop: Loop, record: Sequence[int]) -> Grid:
    """Return the grid for an argument record, from its addresses, steps and extents."""
    words = [int(word) for word in record]
    inner = words[0] * (words[loop.outer_at - 1 - loop.pointers] if loop.pieces else 1)
    outer = [words[loop.outer_at + d * (1 + loop.pointers)] for d in range(words[1])]
    while outer and outer[-1] == 1 and loop.form != "leading":  # it needs both dimensions
        outer.pop()
    rank, rows = len(outer), math.prod(outer)
    count = _aligned(loop, words, rank)
    grid = Grid(count, rank, inner * rows < LARGEST, ahead=ahead(loop, count))
    return shared(loop, grid, inner, rows) if loop.form in BLOCKS else grid


def shared(loop: Loop, grid: Grid, inner: int, rows: int) -> Grid:
    """Return the grid with rows, or blocks of a run, divided among teams of threads."""
    length = min(inner, loop.block) if loop.form == "reduce" else inner
    vectors = -(-length // grid.lanes)
    each = _lane_elements(loop, grid.lanes)  # the most that fit a thread's registers
    most = THREADS if loop.form == "reduce" else MOST_THREADS
    team = 1 if inner == length else most
    while team < most and (2 * team <= vectors if team < WARP else each * team < vectors):
        team *= 2
    teams = max(1, WARP // team)
    while teams * team < THREADS and rows >= FEW * teams * 2:
        teams *= 2
    return teamed(loop, grid, length, team, teams)


def teamed(loop: Loop, grid: Grid, length: int, team: int, teams: int) -> Grid:
    """Return the grid with `teams` teams of `team` threads for rows of this length."""
    registers, full = -(-length // (grid.lanes * team)), length // (grid.lanes * team)
    if loop.form != "rows" or length % grid.lanes or registers > _lane_elements(loop, grid.lanes):
        registers = full = 0
    return grid._replace(threads=team * teams, teams=teams, resident=registers, full=full)


def _lane_elements(loop: Loop, count: int) -> int:
    """Return how many vectors of a row a thread may keep in registers."""
    moving = [a for a in loop.operands if a.layout != "0"] if loop.form == "rows" else [1]
    registers = max(1, len(moving)) * count * (2 if loop.compute == "float64" else 1)
    count_of = min(
        MOST_VECTORS, MOST_REGISTERS // registers, 4 * _LARGE // max(1, count * _operations(loop))
    )
    return 1 << (max(1, count_of).bit_length() - 1)


def ahead(loop: Loop, count: int) -> int:
    """Return how many vectors of `count` elements to load before the first use: memory latency is
    some 700 ns, so 16 bytes per thread would leave it idle. Long bodies are bound by arithmetic
    instead."""
    if loop.form not in ("map", *BLOCKS):
        return 1
    read = {n.id for n in loop.graph.reachable(_roots(loop))}
    nbytes = [ITEMSIZE[o.dtype] for o in loop.operands if o.node.id in read and o.layout != "0"]
    nbytes += [ITEMSIZE[o.dtype] for o in loop.outputs if o.request == "add"]
    if not nbytes:
        return 1
    wanted = min(AHEAD // (count * sum(nbytes)), _LARGE // max(1, count * _operations(loop)))
    return 1 << (max(1, min(MOST_AHEAD, wanted)).bit_length() - 1)


def _operations(loop: Loop) -> int:
    """Return the cost of an element's text in operations."""
    nodes = loop.graph.reachable(_roots(loop))
    leaves = ("arg", "param", "const")
    return sum(
        _LARGE if n.op in ("final", "extern") else _CALL if n.op == "call" else n.op not in leaves
        for n in nodes
    )


def _roots(loop: Loop) -> list[Node]:
    """Return the nodes computed per element."""
    return [o.node for o in loop.outputs] + [t.node for stage in loop.stages for t in stage]


def _aligned(loop: Loop, words: Sequence[int], rank: int) -> int:
    """Return the lanes per vector if all vectors are aligned for single loads, else 1."""
    count = lanes(loop)
    if count == 1 or (loop.form == "map" and rank and words[0] % count):
        return 1
    for k, array in enumerate([*loop.operands, *loop.outputs]):
        if array.layout == "0" or getattr(array, "combine", None):
            continue
        nbytes = count * ITEMSIZE[array.dtype]
        places = [words[_RECORD + k]]
        for d in range(rank):
            places.append(words[loop.outer_at + d * (1 + loop.pointers) + 1 + k])
        if any(place % nbytes for place in places):
            return 1
    return count


def units(loop: Loop, record: Sequence[int], grid: Grid) -> int:
    """Return the number of rows or blocks of a run, if blocks of threads handle these; else the
    blocks of threads that have work, at a vector per thread."""
    words = [int(word) for word in record]
    width = 1 + loop.pointers
    extents = [words[loop.outer_at + d * width] for d in range(grid.rank)]
    rows = 1
    for extent in extents:
        rows *= extent
    if loop.form in ("totals", "rows"):
        return rows
    if loop.form == "reduce":
        return rows * -(-words[0] // loop.block)
    return -(-_elements(loop, words, rows) // (grid.threads * grid.lanes))


def blocks(loop: Loop, record: Sequence[int], grid: Grid, wave: int) -> int:
    """Return the number of blocks of a launch on a device that holds `wave` at once.

    It is more than the device holds, for balance, whatever number of blocks registers allow; but
    few enough that starting them costs nothing.
    """
    count = -(-units(loop, record, grid) // grid.teams)
    if loop.form in BLOCKS:
        count = min(count, WAVES * wave)
    elif count > wave:
        count = min(-(-count // grid.ahead), WAVES * wave)
    return max(1, count)


def _elements(loop: Loop, words: Sequence[int], rows: int) -> int:
    """Return the number of elements that are divided among threads."""
    if loop.form in ("fold", "scan"):
        return rows
    if loop.form == "at":
        return 1
    if loop.form == "leading":
        groups = words[loop.parameters_at + 3]
        return words[0] * groups * words[loop.outer_at + 3]
    return words[0] * rows
