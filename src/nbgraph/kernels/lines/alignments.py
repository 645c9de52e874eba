"""The text of the CTC loss: sums over all alignments of a sample's labels with its steps.

The states of a sample are its labels with blanks before, between and after them. A row of sums has
the logarithms of the sums over the beginnings of alignments that are in each state at a step, after
two numbers of -inf. The second turn, over the labels and steps from their ends, gives the sums over
the ends of alignments. Graves et al., Connectionist temporal classification, 2006, section 4.1.
"""

from collections.abc import Sequence

from nbgraph.kernel_errors import CLASS_CODE, COUNT_BITS, INDEX_CODE, LABEL_BITS, PLACE_BITS
from nbgraph.kernels.compiler.written import Compute, Record, function, inner, part, run
from nbgraph.kernels.scalar.kinds import ITEMSIZE

LENGTHS = ("data_lengths", "label_lengths")


def scratch_bytes(dtype: str, steps: int, labels: int) -> int:
    """Return the bytes of scratch memory of a sample."""
    states = 2 * labels + 1
    return 8 * states + ITEMSIZE[dtype] * ((2 * steps + 1) * (states + 2) + 2 * states + steps) + 64


def _parts(dtype: str) -> str:
    low = f"{dtype}(-1e999)"
    lowest = f"{dtype}({'-3e38' if dtype == 'float32' else '-1e308'})"
    return (
        part(
            "log_total(p, m)",
            f"top = {lowest}",
            "for i in range(m):",
            "    top = acc_max(top, load_element(p, i))",
            f"total = {dtype}(0)",
            "for i in range(m):",
            "    total = acc_add(total, m_exp(load_element(p, i) - top))",
            "return top + m_log(total)",
        )
        + run("gathered(y, m, p, classes, z)", "store(y, i, load(p, load(classes, i)) - z)")
        + run("filled(y, m, value)", "store_element(y, i, value)")
        + run("shares(y, m, p, z)", "store_element(y, i, m_exp(load_element(p, i) - z))")
        + run(
            "flow(y, m, p, skips, e)",
            "a, b = load_element(p, i + 2), load_element(p, i + 1)",
            "c = load_element(p, i) + load_element(skips, i)",
            f"top = acc_max(acc_max(acc_max(a, b), c), {lowest})",
            "total = m_exp(a - top) + m_exp(b - top) + m_exp(c - top)",
            "store_element(y, i + 2, top + m_log(total) + load_element(e, i))",
        )
        + run(
            "visits(y, m, begins, ends, e, total)",
            "score = load_element(e, i)",
            "sums = load_element(begins, m + 1 - i) + load_element(ends, i + 2)",
            f"share = select(score > {lowest}, sums - score - total, {low})",
            "store_element(y, i, m_exp(share))",
        )
    )


def _length(name: str, dtype: str) -> list[str]:
    """Return the lines that read a sample's length, or return if it is out of bounds."""
    own, end = {"data_lengths": ("count", "steps"), "label_lengths": ("n", "labels")}[name]
    return [
        f"{own} = int64(load({dtype}_pointer({name}), tile))",
        f"if {own} < 0 or {own} > {end}:",
        f"    return {own} * 256 + {INDEX_CODE}",
    ]


def _sums(dtype: str, at: str) -> list[str]:
    """Return the lines that fill the rows of both turns."""
    item, low = ITEMSIZE[dtype], f"{dtype}(-1e999)"
    return [
        "for turn in range(2):",
        "    for i in range(size):",
        "        k = i // 2",
        "        k += turn * (n - 1 - 2 * k)",
        "        own = blank",
        "        if i % 2 == 1:",
        "            own = int64(load(marks, tile * labels + k))",
        "        store(places, i, own)",
        f"        skip = {low}",
        "        if i > 1 and own != blank and own != load(places, i - 2):",
        f"            skip = {dtype}(0)",
        "        store(skips, i, skip)",
        "    for t in range(count):",
        "        now = t + turn * (count - 1 - 2 * t)",
        f"        p = {dtype}_pointer(scores + {at.format('now')} * {item})",
        "        done = gathered(e, size, p, places, load(z, now))",
        f"        y = shifted(rows, (turn * steps + t) * width * {item})",
        f"        done = filled(y, 2, {low})",
        "        if t > 0:",
        f"            done = flow(y, size, shifted(y, -(width * {item})), skips, e)",
        "        else:",
        f"            done = filled(y, size + 2, {low})",
        "            for i in range(min(size, 2)):",
        "                store(y, i + 2, load(e, i))",
    ]


def _slopes(dtype: str, at: str) -> list[str]:
    """Return the lines that write the slope by each score: its share of a step less the share of
    the alignments that pass it."""
    item = ITEMSIZE[dtype]
    return [
        f"v = shifted(rows, 2 * steps * width * {item})",
        "for step in range(steps):",
        f"    y = {dtype}_pointer(slope + {at.format('step')} * {item})",
        "    if step < count:",
        f"        p = {dtype}_pointer(scores + {at.format('step')} * {item})",
        "        done = shares(y, classes, p, load(z, step))",
        "        done = gathered(e, size, p, places, load(z, step))",
        f"        ends = shifted(rows, (steps + count - 1 - step) * width * {item})",
        f"        done = visits(v, size, shifted(rows, step * width * {item}), ends, e, total)",
        "        for i in range(size):",
        "            own = load(places, i)",
        "            store(y, own, load(y, own) - load(v, i))",
        "    else:",
        f"        done = filled(y, classes, {dtype}(0))",
    ]


def alignments_text(
    name: str, dtype: Compute, label: str, lengths: Sequence[tuple[str, str]]
) -> str:
    """Return the text of a kernel that writes the `loss` of each sample and its `slope` by the
    scores. A tile is a sample. `label`: the dtype of labels; `lengths`: those of LENGTHS that there
    are, with their dtypes; without, all steps count, and labels before the first `unused` one."""
    item, half, clipped = ITEMSIZE[dtype], 1 << LABEL_BITS - 1, (1 << PLACE_BITS) - 1
    arrays = ("scores", "label", *(own for own, _ in lengths), "loss", "slope", "room")
    rest = ("samples", "labels", "blank", "unused", "nbytes")
    at = "(({} * samples + tile) * classes)"
    bad = f"((min(place, {clipped}) << {COUNT_BITS}) + classes << {LABEL_BITS})"
    return _parts(dtype) + function(
        f"def {name}(args, lo, hi):",
        *Record(("steps", "classes"), arrays, rest).reading(),
        f"marks = {label}_pointer(label)",
        f"losses = {dtype}_pointer(loss)",
        "for tile in range(lo, hi):",
        "    places = int64_pointer(room + tile * nbytes)",
        "    width = 2 * labels + 3",
        f"    e = {dtype}_pointer(room + tile * nbytes + 8 * (width - 2))",
        f"    skips = shifted(e, {item} * (width - 2))",
        f"    z = shifted(skips, {item} * (width - 2))",
        f"    rows = shifted(z, {item} * steps)",
        "    count, n = steps, 0",
        "    while n < labels and int64(load(marks, tile * labels + n)) != unused:",
        "        n += 1",
        *inner([line for each in lengths for line in _length(*each)]),
        "    size = 2 * n + 1",
        "    for k in range(n):",
        "        own = int64(load(marks, tile * labels + k))",
        "        if own < 0 or own >= classes:",
        "            place = tile * labels + k",
        f"            own = min(max(own, {-half}), {half - 1}) + {half}",
        f"            return ({bad} + own) * 256 + {CLASS_CODE}",
        "    for step in range(count):",
        f"        p = {dtype}_pointer(scores + {at.format('step')} * {item})",
        "        store(z, step, log_total(p, classes))",
        *inner(_sums(dtype, at)),
        f"    total = {dtype}(-1e999)",
        "    if count > 0:",
        f"        total = log_total(shifted(rows, ((count - 1) * width + size) * {item}), 2)",
        "    elif n == 0:",
        f"        total = {dtype}(0)",
        "    store(losses, tile, -total)",
        *inner(_slopes(dtype, at)),
        "return 0",
    )
