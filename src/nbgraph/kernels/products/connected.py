"""The kernel text of a fully connected layer: a product with the weights, added to the bias."""

from nbgraph.kernels.compiler.written import Record, function, part
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.kernels.windows.convolution import BLAS, multiplying

SIZES = ("inputs", "features", "share", "parts", "size")
_NO, _YES = ord("N"), ord("T")


def record(*addresses: str) -> Record:
    """Return the record: rows of x, parts of rows; addresses, and the rest."""
    return Record(("rows", "blocks"), addresses, (*BLAS, *SIZES))


def connected_text(dtype: str, *, bias: bool) -> str:
    """Return the text of out[row, feature] = sum of weights[feature] * x[row]; tiled over both."""
    layout = record("x", "w", *(["bias"] if bias else []), "out")
    item = ITEMSIZE[dtype]
    filled = (
        f"done = spread({dtype}_pointer(target), {dtype}_pointer(bias + f * {item}), n, m, "
        "features)"
    )
    return (
        (_SPREAD if bias else "")
        + multiplying(layout)
        + function(
            "def fully_connected(args, lo, hi):",
            *layout.reading(*(name for name in layout.names if name not in BLAS)),
            "record = strip_int64()",
            "done = 0",
            "for tile in range(lo, hi):",
            "    block = tile // parts",
            "    f = (tile - block * parts) * share",
            "    m = min(share, features - f)",
            "    first = block * size",
            "    n = min(size, rows - first)",
            f"    target = out + (first * features + f) * {item}",
            f"    {filled if bias else 'done = 0'}",
            f"    done = multiply(args, record, m, n, inputs, w + f * inputs * {item}, {_YES}, "
            f"inputs, x + first * inputs * {item}, {_NO}, inputs, target, features, "
            f"{int(bias)})",
            "return 0",
        )
    )


_SPREAD = part(
    "spread(y, bias, n, m, ld)",
    "for r in range(n):",
    "    for i in range(m):",
    "        store(y, r * ld + i, load(bias, i))",
    "return 0",
)
