"""The text of a kernel that counts the elements between edges, as NumPy's histogram does.

The bin of an element follows from its distance to the first edge where bins are equal, and is then
compared with the edges, which alone decide; otherwise it is searched for among them by halves.
"""

from nbgraph.kernels.compiler.written import Record, function, inner

MOST = 1 << 16  # equal bins, up to which a float32 distance finds a bin or its neighbour

_KNOWN = """\
for k in range(bins + 1):
    store(e, k, load(edges, k))
for k in range(bins):
    if load(e, k + 1) < load(e, k):
        return failure"""
_EXTREMES = """\
low = {kind}(load(x, 0))
high = low
for i in range(size):
    v = {kind}(load(x, i))
    low = acc_min(low, v)
    high = acc_max(high, v)"""
_EDGES = """\
width = high - low
gap = width - width
if gap != gap:
    return failure
if high == low:
    low = low - {limit}(0.5)
    high = high + {limit}(0.5)
step = (high - low) / {limit}(bins)
for k in range(bins):
    store(e, k, {kind}({limit}(k) * step + low))
store(e, bins, {kind}(high))
most = {kind}(bins)
scale = most / {kind}(high - low)"""
_EQUAL = """\
place = (v - first) * scale
place = select(place >= {kind}(0.0), place, {kind}(0.0))
k = min(int64(select(place < most, place, most)), bins - 1)
k = max(k - int64(v < load(e, k)), 0)
k = k + int64((k < bins - 1) & (v >= load(e, k + 1)))"""
_HALVES = """\
k = 0
above = bins
while above - k > 1:
    middle = (k + above) >> 1
    below = load(e, middle) <= v
    k = select(below, middle, k)
    above = select(below, above, middle)"""


def counting_text(name: str, dtype: str, kind: str, *, edges: bool, limits: bool) -> str:
    """Return the text of a kernel from `size` elements of `dtype` to the counts of `bins` bins and
    their edges, of `kind`; with `edges`, these are an operand. With `limits` the first and last
    edge are words. It returns its word `failure` for limits that are not finite, or falling edges.
    """
    limit = "float64" if limits else kind
    words = ("low", "high") if limits else ()
    record = Record(
        ("size", "bins"), ("a", *["known"] * edges, "counts", "between"), ("failure", *words)
    )
    if edges:
        parts = ["edges = {kind}_pointer(known)", _KNOWN]
    elif limits:
        parts = [f"{word} = float64_word(args, {record.place(word)})" for word in words]
    else:
        parts = [_EXTREMES]
    parts += [] if edges else [_EDGES]
    search = (_HALVES if edges else _EQUAL).format(kind=kind)
    return function(
        f"def {name}(args, lo, hi):",
        *record.reading(*(n for n in record.names if n not in words)),
        f"x = {dtype}_pointer(a)",
        "y = int64_pointer(counts)",
        f"e = {kind}_pointer(between)",
        "for k in range(bins):",
        "    store(y, k, 0)",
        *(each.format(kind=kind, limit=limit) for each in parts),
        "first = load(e, 0)",
        "last = load(e, bins)",
        "for i in range(size):",
        f"    v = {kind}(load(x, i))",
        *inner([search]),
        "    store(y, k, load(y, k) + int64((v >= first) & (v <= last)))",
        "return 0",
    )
