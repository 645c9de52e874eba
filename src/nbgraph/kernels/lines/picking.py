"""Texts of kernels that add lines of an array up at indices.

An array is seen as (outer, size, inner), of which `size` is indexed by `count` numbers. An index
out of bounds ends the kernel with a code that says which; see `errors.of_kernel`. The order of
additions is that of the indices.
"""

from __future__ import annotations

from nbgraph.kernel_errors import INDEX_CODE
from nbgraph.kernels.compiler.written import Record, function, run
from nbgraph.kernels.scalar.kinds import ITEMSIZE

SIZES = ("inner", "share", "parts")


def record(*addresses: str) -> Record:
    """Return the record: sizes, addresses, and the rest."""
    return Record(("size", "count"), addresses, SIZES)


def _several(name: str, count: int) -> list[str]:
    return [f"{name}{j}" for j in range(count)]


def _index_pointers(index: str, several: int) -> list[str]:
    return [f"index{j} = {index}_pointer(indices{j})" for j in range(several)]


def _place(several: int) -> list[str]:
    """Return the lines that make of the number of an outer part that of the line at place k."""
    lines = list[str]()
    for j in range(several):
        lines += checked_index("at", f"index{j}", "k", f"size{j}")
        lines.append(f"place = place * size{j} + at")
    return lines


def add_along_text(dtype: str, index: str) -> str:
    """Return the text of out[o, indices[o, c, i], i] += value[o, c, i]. A tile: one o."""
    return run("cleared(y, m)", f"store_output(y, i, {dtype}(0))") + function(
        "def add_along(args, lo, hi):",
        *record("value", "indices", "out").reading(
            "size", "count", "value", "indices", "out", "inner"
        ),
        f"index = {index}_pointer(indices)",
        f"source = {dtype}_pointer(value)",
        "for o in range(lo, hi):",
        f"    y = {dtype}_pointer(out + o * size * inner * {ITEMSIZE[dtype]})",
        "    done = cleared(y, size * inner)",
        "    for c in range(count):",
        *(f"        {line}" for line in _ALONG),
        "            at = at * inner + j",
        "            store(y, at, load(y, at) + load(source, k))",
        "return 0",
    )


def add_text(dtype: str, index: str, several: int, *, single: bool) -> str:
    """Return the text of out[o, first[k], second[k], ...] = sum of value[o, k]. A tile: part of the
    lines of one o; `single`: a line is one element."""
    indices, sizes = _several("indices", several), _several("size", several)
    layout = Record(
        ("size", "count"), ("value", *indices, "out"), ("inner", "share", "parts", *sizes)
    )
    own = f"{dtype}_pointer(out + (place * inner + c) * {ITEMSIZE[dtype]})"
    source = f"{dtype}_pointer(value + ((o * count + k) * inner + c) * {ITEMSIZE[dtype]})"
    add = f"done = added({own}, {source}, m)"
    helpers = run("added(y, x, m)", "store_output(y, i, load(y, i) + load_input(x, i))")
    pointers = ["done = 0"]
    if single:
        add, helpers = "store(y, place, load(y, place) + load(source, o * count + k))", ""
        pointers = [f"source = {dtype}_pointer(value)", f"y = {dtype}_pointer(out)"]
    return (
        run("cleared(y, m)", f"store_output(y, i, {dtype}(0))")
        + helpers
        + function(
            "def scatter_add(args, lo, hi):",
            *layout.reading(),
            *_index_pointers(index, several),
            *pointers,
            "for tile in range(lo, hi):",
            "    o = tile // parts",
            "    c = (tile - o * parts) * share",
            "    m = min(share, inner - c)",
            "    lines = 1 if m == inner else size",
            "    for at in range(lines):",
            "        place = o * size + at",
            f"        done = cleared({own}, size * inner if m == inner else m)",
            "    for k in range(count):",
            "        place = o",
            *(f"        {line}" for line in _place(several)),
            f"        {add}",
            "return 0",
        )
    )


def checked_index(at: str, index: str, place: str, size: str) -> list[str]:
    """Return the lines that set a name to an index, from 0 on; one out of bounds ends it all."""
    return [
        f"{at} = int64(load({index}, {place}))",
        f"if {at} < 0 - {size} or {at} >= {size}:",
        f"    return {at} * 256 + {INDEX_CODE}",
        f"if {at} < 0:",
        f"    {at} += {size}",
    ]


_ALONG = (
    "for j in range(inner):",
    "    k = (o * count + c) * inner + j",
    *(f"    {line}" for line in checked_index("at", "index", "k", "size")),
)
