"""Texts of kernels over channels of data, which are (images, channels, cells): a block of threads
for each channel.

Their records are those of `nbgraph.kernels.channels`. A thread has four sums under way, of elements
a block apart; the bound of all of them is that of `reductions.Reduce`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgraph.kernels.channels import record
from nbgraph.kernels.cuda.sweeps import Element
from nbgraph.kernels.cuda.writer import together_text
from nbgraph.kernels.written import Record, function

THREADS = 512  # of a block
_AHEAD = 4  # loads of a thread under way

STATISTICS = ("momentum", "ratio", "trains")


def _sums(
    names: Sequence[str], terms: Callable[[str], Sequence[str]], kind: str, wide: str
) -> list[str]:
    """Lines that set each of `names` to a sum over a channel's elements, of `terms(at)`."""

    def some(count: int) -> list[str]:
        lines: list[str] = []
        for j in range(count):
            own = f"i + {j * THREADS}" if j else "i"
            lines += [
                f"n{j} = int64({wide}({own}) // {wide}(cells))",
                f"at{j} = (n{j} * channels + c) * cells + {own} - n{j} * cells",
            ]
        for j in range(count):
            pairs = zip(names, terms(f"at{j}"), strict=True)
            lines += [f"{name}{j} = {name}{j} + {term}" for name, term in pairs]
        return [f"    {line}" for line in [*lines, f"i += {count * THREADS}"]]

    return [
        *(f"{name}{j} = {kind}(0)" for name in names for j in range(_AHEAD)),
        "i = thread()",
        f"while i + {(_AHEAD - 1) * THREADS} < count:",
        *some(_AHEAD),
        "while i < count:",
        *some(1),
        *(
            f"{name} = together_add_{kind}(({name}0 + {name}1) + ({name}2 + {name}3))"
            for name in names
        ),
    ]


def _kernel(
    name: str, layout: Record, kind: str, before: Sequence[str], lines: Sequence[str]
) -> str:
    together = "\n".join(together_text(f"together_add_{kind}", "add", kind, THREADS))
    return f"{together}\n" + function(
        f"def {name}(args, start, step):",
        *layout.reading(*(n for n in layout.names if n not in ("momentum", "ratio"))),
        *before,
        "count = images * cells",
        "c = start",
        "while c < channels:",
        *(f"    {line}" for line in lines),
        "    c += step",
        "return 0",
    )


def _moments(x: Element, kind: str, wide: str) -> list[str]:
    """`average` and `off`, the variance, of a channel."""

    def read(at: str) -> str:
        return cast(x, kind, f"given, {at}")

    def squares(at: str) -> list[str]:
        return [f"({read(at)} - average) * ({read(at)} - average)"]

    return [
        *_sums(["total"], lambda at: [read(at)], kind, wide),
        f"average = total / {kind}(count)",
        *_sums(["spread"], squares, kind, wide),
        f"off = spread / {kind}(count)",
    ]


def cast(element: Element, kind: str, place: str) -> str:
    """Return the text of an element's value as a number of a kind."""
    read = element.load(place)
    return read if element.compute == kind else f"{kind}({read})"


def moments_text(dtype: str, *, wide: str) -> str:
    """out[0, channel] is the mean, out[1, channel] the variance; `wide`: what counts elements."""
    x = Element(dtype)
    lines = [
        *_moments(x, x.compute, wide),
        "if thread() == 0:",
        f"    {x.store('made, c', 'average')}",
        f"    {x.store('made, channels + c', 'off')}",
    ]
    before = [f"given = {x.pointer('x')}", f"made = {x.pointer('out')}"]
    return _kernel("channel_moments", record("x", "out", rest=()), x.compute, before, lines)


def sums_text(dtype: str, *, wide: str) -> str:
    """out[0, channel] is the sum of g, out[1, channel] that of g * x."""
    of = Element(dtype)

    def terms(at: str) -> list[str]:
        slope = of.load(f"slopes, {at}")
        return [slope, f"{slope} * {of.load(f'given, {at}')}"]

    lines = [
        *_sums(["total", "along"], terms, of.compute, wide),
        "if thread() == 0:",
        f"    {of.store('made, c', 'total')}",
        f"    {of.store('made, channels + c', 'along')}",
    ]
    before = [
        f"slopes = {of.pointer('g')}",
        f"given = {of.pointer('x')}",
        f"made = {of.pointer('out')}",
    ]
    return _kernel("channel_sums", record("g", "x", "out", rest=()), of.compute, before, lines)


def statistics_text(dtypes: Sequence[str], kind: str, *, wide: str) -> str:
    """As `kernels.channels.statistics_text`; `dtypes`: of the data and of both states."""
    x, mean, variance = map(Element, dtypes)
    layout = record("x", "mean", "variance", "out", "told", rest=STATISTICS)

    def moved(state: Element, name: str, value: str) -> list[str]:
        text = f"was_{name} + momentum * ({value} - was_{name})"
        own = text if state.compute == kind else f"{state.compute}({text})"
        return [
            f"    was_{name} = {cast(state, kind, f'{name}s, c')}",
            f"    {state.store(f'{name}s, c', own)}",
        ]

    store = [
        x.store(place, value if x.compute == kind else f"{x.compute}({value})")
        for place, value in (("made, c", "average"), ("made, channels + c", "off"))
    ]
    lines = [
        f"average = {kind}(0)",
        f"off = {kind}(0)",
        "if trains != 0:",
        *(f"    {line}" for line in _moments(x, kind, wide)),
        "if thread() == 0:",
        "    if trains != 0:",
        *(f"    {line}" for line in moved(mean, "average", "average")),
        *(f"    {line}" for line in moved(variance, "off", "ratio * off")),
        "    else:",
        f"        average = {cast(mean, kind, 'averages, c')}",
        f"        off = {cast(variance, kind, 'offs, c')}",
        *(f"    {line}" for line in store),
        "    if c == 0:",
        f"        {x.store('say, 0', f'{x.compute}(trains)')}",
    ]
    before = [
        *(f"{name} = {kind}_word(args, {layout.place(name)})" for name in ("momentum", "ratio")),
        f"given = {x.pointer('x')}",
        f"averages = {mean.pointer('mean')}",
        f"offs = {variance.pointer('variance')}",
        f"made = {x.pointer('out')}",
        f"say = {x.pointer('told')}",
    ]
    return _kernel("batch_statistics", layout, kind, before, lines)
