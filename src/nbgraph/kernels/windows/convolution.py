"""Texts of kernels over windows: columns of the data under them, and products with weights.

A convolution, its gradient by data and its gradient by weights are products of matrices, one of
which consists of columns: for each place of the window, the data under it. The columns of some
places are built on the stack, within the core's second-level cache, and multiplied at once by the
kernel of `blas`; so there is no array of columns. [lo, hi) counts tiles that depend on shapes
alone. All arrays are contiguous, and have three axes of space.

A row of the columns is one element of the window in one channel. Along a line of places it is a run
of the data with zeros around it.
"""

from nbgraph.kernels.compiler.written import Record, function, part, run
from nbgraph.kernels.scalar.kinds import ITEMSIZE

_AXES = "dhw"
SPACE = tuple(
    f"{what}_{d}" for what in ("in", "out", "kernel", "step", "pad", "gap") for d in _AXES
)
BLAS = ("product", "gemm", "gemv", "threads", "one")
SIZES = ("channels", "features", "size", "blocks", "share", "parts", "panel", "direct")
_NO, _YES = ord("N"), ord("T")


def record(*addresses: str) -> Record:
    """Return the record of any of these kernels: images, groups, addresses, and the rest."""
    return Record(("images", "groups"), addresses, (*BLAS, *SPACE, *SIZES))


def convolution_text(dtype: str, *, bias: bool) -> str:
    """Return the text of out[image, feature, place] = sum of weights * columns; tiled by group."""
    layout = record("x", "w", *(["bias"] if bias else []), "out")
    item = ITEMSIZE[dtype]
    bias_at = f"{dtype}_pointer(bias + (g * features + f) * {item})"
    begins = f"filled({dtype}_pointer(target), {bias_at}, nf, m, spots)"
    return _text(
        "convolution",
        layout,
        dtype,
        "for tile in range(lo, hi):",
        "    place = tile // parts",
        "    f = (tile - place * parts) * share",
        "    nf = min(share, features - f)",
        "    image = place // blocks",
        "    first = (place - image * blocks) * size",
        "    m = min(size, spots - first)",
        "    g = image % groups",
        f"    source = x + image * channels * plane * {item}",
        f"    target = out + ((image * features + f) * spots + first) * {item}",
        f"    weights = w + (g * features + f) * rows * {item}",
        f"    done = {begins}" if bias else "    done = 0",
        f"    beta = {int(bias)}",
        "    r = 0",
        "    while r < rows:",
        "        k = min(panel, rows - r)",
        f"        under = source + (r * plane + first) * {item}",
        "        ld = plane",
        "        if direct == 0:",
        "            done = columns(args, col, m, source, r, k, first, m)",
        "            under = address(col)",
        "            ld = m",
        f"        done = multiply(args, record, m, nf, k, under, {_NO}, ld, "
        f"weights + r * {item}, {_NO}, rows, target, spots, beta)",
        "        beta = 1",
        "        r += k",
        bias=bias,
    )


def data_text(dtype: str, *, bias: bool) -> str:
    """Return the text of out[image, channel, cell] = the sum over the places above a cell. A tile
    is some channels of a group in an image, processed a few at a time."""
    layout = record("g", "w", *(["bias"] if bias else []), "out")
    item = ITEMSIZE[dtype]
    whole = f"{dtype}_pointer(target)"
    begins = f"cleared({whole}, nc * plane)"
    if bias:
        bias_at = f"{dtype}_pointer(bias + (group * channels + c) * {item})"
        begins = f"filled({whole}, {bias_at}, nc, plane, plane)"
    return _text(
        "convolution_data",
        layout,
        dtype,
        "for tile in range(lo, hi):",
        "    image = tile // parts",
        "    c = (tile - image * parts) * share",
        "    nc = min(share, channels - c)",
        "    group = image % groups",
        f"    target = out + (image * channels + c) * plane * {item}",
        f"    source = g + image * features * spots * {item}",
        f"    weights = w + (group * features * rows + c * volume) * {item}",
        "    done = 0",
        f"    if {'direct == 0' if not bias else 'True'}:",
        f"        done = {begins}",
        "    r = 0",
        "    while r < nc:",
        "        k = min(panel, nc - r)",
        "        first = 0",
        "        while first < spots:",
        "            m = min(size, spots - first)",
        "            into = address(col)",
        "            ld = m",
        "            add = 0",
        "            if direct != 0:",
        f"                into = target + (r * plane + first) * {item}",
        "                ld = plane",
        f"                add = {int(bias)}",
        f"            done = multiply(args, record, m, k * volume, features, "
        f"source + first * {item}, {_NO}, spots, weights + r * volume * {item}, {_YES}, rows, "
        "into, ld, add)",
        "            if direct == 0:",
        f"                done = spread(args, col, m, target + r * plane * {item}, 0, "
        "k * volume, first, m)",
        "            first += m",
        "        r += k",
        spreads=True,
        bias=bias,
    )


def weight_text(dtype: str) -> str:
    """Return the text of out[feature, row] = sum of gradients * columns; a tile is of one group."""
    layout = record("x", "g", "out")
    item = ITEMSIZE[dtype]
    return _text(
        "convolution_weights",
        layout,
        dtype,
        "for tile in range(lo, hi):",
        "    place = tile // blocks",
        "    f = (tile - place * blocks) * panel",
        "    nf = min(panel, features - f)",
        "    group = place // parts",
        "    r = (place - group * parts) * share",
        "    k = min(share, rows - r)",
        f"    target = out + ((group * features + f) * rows + r) * {item}",
        "    beta = 0",
        "    done = 0",
        "    for n in range(images):",
        "        image = n * groups + group",
        f"        source = x + image * channels * plane * {item}",
        "        first = 0",
        "        while first < spots:",
        "            m = min(size, spots - first)",
        f"            under = source + (r * plane + first) * {item}",
        "            ld = plane",
        "            if direct == 0:",
        "                done = columns(args, col, m, source, r, k, first, m)",
        "                under = address(col)",
        "                ld = m",
        f"            done = multiply(args, record, k, nf, m, under, {_YES}, ld, "
        f"g + ((image * features + f) * spots + first) * {item}, {_NO}, spots, "
        "target, rows, beta)",
        "            beta = 1",
        "            first += m",
    )


# pieces -----------------------------------------------------------------------------------------


def _text(
    name: str, layout: Record, dtype: str, *lines: str, spreads: bool = False, bias: bool = False
) -> str:
    """Return the text of a kernel, and of the functions it calls."""
    parts = _runs(dtype) + (FILLED if bias else "") + _column_rows(layout, dtype, spreads=spreads)
    head = f"def {name}(args, lo, hi):"
    kernel = function(head, *_prologue(layout, dtype), *lines, "return 0")
    return parts + multiplying(layout) + kernel


def _prologue(layout: Record, dtype: str) -> list[str]:
    used = [n for n in layout.names if n not in BLAS]
    return [
        *layout.reading(*used),
        "plane = in_d * in_h * in_w",
        "spots = out_d * out_h * out_w",
        "volume = kernel_d * kernel_h * kernel_w",
        "rows = channels * volume",
        "record = strip_int64()",
        f"col = room_{dtype}()",
    ]


def _runs(dtype: str) -> str:
    """Return functions over runs of elements: copy, strided copy, clear; the same with addition to
    a target; and lines of runs. Gaps are narrow, so the inner loop goes from line to line."""
    zero = f"{dtype}(0)"
    nest = "for j in range(n):", "    for i in range(m):"
    lines = (
        ("gaps(y, n, m, ld)", "for i in range(m):", "    for j in range(n):",
         f"        store(y, j * ld + i, {zero})"),
        ("made_lines(y, x, n, m, ld, step)", *nest,
         "        store_output(y, j * ld + i, load_input(x, j * step + i))"),
        ("added_lines(y, x, n, m, ld, step)", *nest, "        k = j * step + i",
         "        store_output(y, k, load(y, k) + load_input(x, j * ld + i))"),
    )  # fmt: skip
    return "".join(part(*each, "return 0") for each in lines) + "".join(
        run(head, line)
        for head, line in (
            ("copied_run(y, x, m)", "store_output(y, i, load_input(x, i))"),
            ("taken(y, x, m, step)", "store_output(y, i, load_input(x, i * step))"),
            ("cleared(y, m)", f"store_output(y, i, {zero})"),
            ("added(y, x, m)", "store_output(y, i, load(y, i) + load_input(x, i))"),
            ("dropped(y, x, m, step)", "store(y, i * step, load(y, i * step) + load(x, i))"),
        )
    )


FILLED = part(
    "filled(y, bias, n, m, ld)",
    "for f in range(n):",
    "    value = load(bias, f)",
    "    for i in range(m):",
    "        store(y, f * ld + i, value)",
    "return 0",
)


def _column_rows(layout: Record, dtype: str, *, spreads: bool) -> str:
    """Return a function over rows [row, row + k) of the columns at places [first, first + m): built
    from the data at `base`, or added to it. `ld`: elements between rows."""
    name = "spread" if spreads else "columns"
    return part(
        f"{name}(args, col, ld, base, row, k, first, m)",
        *layout.reading(*SPACE),
        "volume = kernel_d * kernel_h * kernel_w",
        "done = 0",
        "line = first // out_w",
        "count = m // out_w",
        "whole = step_w == 1 and out_d == 1 and line * out_w == first and count * out_w == m",
        "same = step_h == 1 and in_w == out_w",
        "for r in range(row, row + k):",
        *(f"    {text}" for text in _ROW),
        "    p = first",
        "    if whole:",
        *(f"        {text}" for text in _whole_lines(dtype, spreads=spreads)),
        "        p = first + m",
        "    d = line // out_h",
        "    h = line - d * out_h",
        "    w = first - line * out_w",
        "    while p < first + m:",
        "        e = min(out_w, w + first + m - p)",
        "        z = d * step_d + kd * gap_d - pad_d",
        "        y = h * step_h + kh * gap_h - pad_h",
        "        a = max(w, min(begin, e))",
        "        b = max(a, min(end, e))",
        "        along = a * step_w + off",
        "        if (0 <= z < in_d) and (0 <= y < in_h):",
        *(f"            {text}" for text in _line(dtype, spreads=spreads)),
        *(
            []
            if spreads
            else ["        else:", f"            done = cleared({_run_address(dtype)}, e - w)"]
        ),
        "        p += e - w",
        "        w = 0",
        "        h += 1",
        "        if h == out_h:",
        "            h = 0",
        "            d += 1",
        "return done",
    )


def _whole_lines(dtype: str, *, spreads: bool) -> list[str]:
    """Return lines for a row of the columns at whole lines of places, partly within the data. Lines
    of places as long as those of the data form one run, with zeros in between."""
    item = ITEMSIZE[dtype]
    cells = f"{dtype}_pointer(base + (channel + (z * in_h + y) * in_w + a + off) * {item})"
    line, own = (f"shifted(col, ((r - row) * ld + {at}) * {item})" for at in ("0", "head"))
    run = f"done = made_lines({own}, {cells}, n, width, out_w, step_h * in_w)"
    if spreads:
        run = f"done = added_lines({cells}, {own}, n, width, out_w, step_h * in_w)"
    gaps = f"done = gaps(shifted({own}, (b - a) * {item}), u - t - 1, out_w - b + a, out_w)"
    around = [
        f"done = cleared({line}, head)",
        f"done = cleared(shifted({own}, reach * {item}), m - head - reach)",
    ]
    return [
        "z = kd * gap_d - pad_d",
        "y = kh * gap_h - pad_h",
        "t = max(line, (max(0, 0 - y) + step_h - 1) // step_h)",
        "u = min(line + count, (max(0, in_h - y) + step_h - 1) // step_h)",
        "a = min(begin, out_w)",
        "b = min(end, out_w)",
        "empty = (z < 0) or (z >= in_d) or t >= u or a >= b",
        "head = (t - line) * out_w + a",
        "reach = (u - t - 1) * out_w + b - a",
        "y += t * step_h",
        "n = 1 if same else u - t",
        "width = reach if same else b - a",
        *([] if spreads else ["if empty:", f"    done = cleared({line}, m)"]),
        "if not empty:",
        *(f"    {text}" for text in ([gaps, run] if spreads else [*around, run, gaps])),
    ]


# of a row of the columns: its channel, its element of the window, and the places within the data
_ROW = (
    "c = r // volume",
    "at = r - c * volume",
    "kd = at // (kernel_h * kernel_w)",
    "at = at - kd * (kernel_h * kernel_w)",
    "kh = at // kernel_w",
    "channel = c * in_d * in_h * in_w",
    "off = (at - kh * kernel_w) * gap_w - pad_w",
    "begin = (max(0, 0 - off) + step_w - 1) // step_w",
    "end = (max(0, in_w - off) + step_w - 1) // step_w",
)


def _run_address(dtype: str) -> str:
    """Return the text of the address of a run of places in its row of the columns."""
    return f"shifted(col, ((r - row) * ld + p - first) * {ITEMSIZE[dtype]})"


def _line(dtype: str, *, spreads: bool) -> list[str]:
    """Return lines that build a run of the columns from a line of data, or add it to one."""
    item = ITEMSIZE[dtype]
    cells = f"{dtype}_pointer(base + (channel + (z * in_h + y) * in_w + along) * {item})"
    inner = f"shifted({_run_address(dtype)}, (a - w) * {item})"
    near, far, places = "copied_run", "taken", f"{inner}, {cells}"
    clears = [
        "if a > w:",
        f"    done = cleared({_run_address(dtype)}, a - w)",
        "if e > b:",
        f"    done = cleared(shifted({_run_address(dtype)}, (b - w) * {item}), e - b)",
    ]
    if spreads:
        near, far, places, clears = "added", "dropped", f"{cells}, {inner}", []
    return [
        *clears,
        "if b > a and step_w == 1:",
        f"    done = {near}({places}, b - a)",
        "if b > a and step_w != 1:",
        f"    done = {far}({places}, b - a, step_w)",
    ]


def multiplying(layout: Record) -> str:
    """Return the text of one product by BLAS; see `nbgraph.kernels.products.blas_text`."""
    operands = (
        *("1", "0", "first", "second", "out", "gemm", "gemv", "threads", "one", "0"),
        *("one if add != 0 else 0", "0", "first_form", "second_form", "0", "u", "v", "k"),
        *("first_ld", "second_ld", "out_ld", "u", "v", "1", "0", "0", "0", "0"),
    )
    return part(
        "multiply(args, record, u, v, k, first, first_form, first_ld, second, second_form, "
        "second_ld, out, out_ld, add)",
        *layout.reading(*BLAS),
        *(f"store(record, {k}, {text})" for k, text in enumerate(operands)),
        "return call_kernel(product, address(record), 0, 1)",
    )
