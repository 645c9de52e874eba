"""Texts of kernels over channels of data, which are (images, channels, cells).

[lo, hi) counts channels. Blocks of a run are added up in vectors, their totals in float64 one after
another; for a variance differences from the mean are squared in a second pass.

Of data whose runs are single cells, so that the channels of an image lie side by side, strips of
WIDTH channels are worked on at once: a total is a strip of numbers on the stack, and the inner loop
runs over channels, so that memory is read in order. The elements of a channel are combined one
after another in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.columns import WIDTH
from nbgraph.kernels.kinds import ITEMSIZE
from nbgraph.kernels.loops import BLOCK
from nbgraph.kernels.written import Record, function, part, run

Body = tuple[str, list[str]]  # parts, and the lines that call them, behind what reads the record
_READ = ("images", "channels", "cells")


def record(*addresses: str, rest: Sequence[str] = ("eps",)) -> Record:
    """Return the record: sizes and addresses, cells, and the rest: of most what is added to a
    variance."""
    return Record(("images", "channels"), addresses, ("cells", *rest))


# moments ----------------------------------------------------------------------------------------


def moments_text(dtype: str, *, beside: bool) -> str:
    """out[0, channel] is the mean, out[1, channel] the variance, divided by the number."""
    parts, lines = (_strip_moments if beside else _moments)(dtype)
    reading = record("x", "out").reading(*_READ, "x", "out")
    return parts + function("def channel_moments(args, lo, hi):", *reading, *lines, "return 0")


def statistics_text(dtype: str, *, beside: bool) -> str:
    """As `moments_text` where `trains`, and the states move; else the states. `ratio` is what a
    variance is multiplied by for the state; `told` becomes `trains`."""
    layout = record("x", "mean", "variance", "out", "told", rest=("momentum", "ratio", "trains"))
    parts, moments = (_strip_moments if beside else _moments)(dtype)
    return parts + function(
        "def batch_statistics(args, lo, hi):",
        *layout.reading(*_READ, "x", "mean", "variance", "out", "told", "trains"),
        *(f"{name} = {dtype}_word(args, {layout.place(name)})" for name in ("momentum", "ratio")),
        f"means = {dtype}_pointer(mean)",
        f"variances = {dtype}_pointer(variance)",
        f"made = {dtype}_pointer(out)",
        "if lo == 0:",
        f"    store({dtype}_pointer(told), 0, {dtype}(trains))",
        "if trains == 0:",
        "    for k in range(lo, hi):",
        "        store(made, k, load(means, k))",
        "        store(made, channels + k, load(variances, k))",
        "    return 0",
        *moments,
        "for k in range(lo, hi):",
        "    was = load(means, k)",
        "    store(means, k, was + momentum * (load(made, k) - was))",
        "    was_spread = load(variances, k)",
        "    spread_now = ratio * load(made, channels + k)",
        "    store(variances, k, was_spread + momentum * (spread_now - was_spread))",
        "return 0",
    )


def _moments(dtype: str) -> Body:
    parts = _total("added(x, n)", "load_input(x, start + i)", dtype) + _total(
        "spread(x, n, mean)", "off * off", dtype, off="load_input(x, start + i) - mean"
    )
    run = f"{dtype}_pointer(x + (n * channels + c) * cells * {ITEMSIZE[dtype]})"
    return parts, [
        f"y = {dtype}_pointer(out)",
        "count = float64(images * cells)",
        "for c in range(lo, hi):",
        "    total = float64(0)",
        "    for n in range(images):",
        f"        total = total + added({run}, cells)",
        f"    average = {dtype}(total / count)",
        "    squares = float64(0)",
        "    for m in range(images):",
        f"        squares = squares + spread({run.replace('n *', 'm *')}, cells, average)",
        "    store(y, c, average)",
        f"    store(y, channels + c, {dtype}(squares / count))",
    ]


# sums -------------------------------------------------------------------------------------------


def sums_text(dtype: str, *, beside: bool) -> str:
    """out[0, channel] is the sum of g, out[1, channel] that of g * x."""
    layout = record("g", "x", "out")
    parts, lines = (_strip_sums if beside else _sums)(dtype)
    reading = layout.reading(*_READ, "g", "x", "out")
    return parts + function("def channel_sums(args, lo, hi):", *reading, *lines, "return 0")


def _sums(dtype: str) -> Body:
    parts = _total("added(x, n)", "load_input(x, start + i)", dtype) + _total(
        "along(x, y, n)", "load_input(x, start + i) * load_input(y, start + i)", dtype
    )
    at = f"(n * channels + c) * cells * {ITEMSIZE[dtype]}"
    g, x = f"{dtype}_pointer(g + {at})", f"{dtype}_pointer(x + {at})"
    return parts, [
        f"y = {dtype}_pointer(out)",
        "for c in range(lo, hi):",
        "    total = float64(0)",
        "    products = float64(0)",
        "    for n in range(images):",
        f"        total = total + added({g}, cells)",
        f"        products = products + along({g}, {x}, cells)",
        f"    store(y, c, {dtype}(total))",
        f"    store(y, channels + c, {dtype}(products))",
    ]


# what is made of the moments ----------------------------------------------------------------------


def standard_text(dtype: str, *, beside: bool) -> str:
    """out = x * scale + shift, where scale is gamma over the root of variance + eps, and shift
    brings the mean to beta."""
    layout = record("x", "moments", "gamma", "beta", "out")
    parts, lines = (_strip_standard if beside else _standard)(dtype)
    return parts + function(
        "def batch_standard(args, lo, hi):",
        *layout.reading(*_READ, "x", "moments", "gamma", "beta", "out"),
        f"eps = {dtype}_word(args, {layout.place('eps')})",
        *lines,
        "return 0",
    )


def _standard(dtype: str) -> Body:
    at = f"(n * channels + c) * cells * {ITEMSIZE[dtype]}"
    line = "store_output(y, i, load_input(x, i) * scale + shift)"
    scaled = run("scaled(y, x, m, scale, shift)", line)
    y, x = (f"{dtype}_pointer({name} + {at})" for name in ("out", "x"))
    return scaled, [
        f"both = {dtype}_pointer(moments)",
        "done = 0",
        "for c in range(lo, hi):",
        "    root = m_sqrt(load(both, channels + c) + eps)",
        f"    scale = load({dtype}_pointer(gamma), c) / root",
        "    off = load(both, c) * scale",
        f"    shift = load({dtype}_pointer(beta), c) - off",
        "    for n in range(images):",
        f"        done = scaled({y}, {x}, cells, scale, shift)",
    ]


def _total(head: str, value: str, dtype: str, *, off: str = "") -> str:
    """Return the sum over a run; `off` is computed first."""
    return part(
        head,
        "total = float64(0)",
        "start = 0",
        "while start < n:",
        f"    m = min(n - start, {BLOCK})",
        f"    t = {dtype}(0)",
        "    for i in range(m):",
        *([f"        off = {off}"] if off else []),
        f"        t = acc_add(t, {value})",
        "    total = total + float64(t)",
        "    start += m",
        "return total",
    )


# of channels that lie side by side --------------------------------------------------------------


def _strip_moments(dtype: str) -> Body:
    parts = (
        _over_images("added(totals, x, m, images, step)", [("totals", "load_input(x_p, i)")])
        + _over_images(
            "spread(totals, x, means, m, images, step)",
            [("totals", "off * off")],
            off="load_input(x_p, i) - load_input(means, i)",
        )
        + run(
            "average(y, totals, m, count)", f"store_output(y, i, {dtype}(load(totals, i) / count))"
        )
    )
    item = ITEMSIZE[dtype]
    return parts, [
        "totals = strip_float64()",
        "count = float64(images)",
        f"step = channels * {item}",
        *_strips(
            f"x_c = {dtype}_pointer(x + c * {item})",
            f"means_c = {dtype}_pointer(out + c * {item})",
            "done = added(totals, x_c, m, images, step)",
            "done = average(means_c, totals, m, count)",
            "done = spread(totals, x_c, means_c, m, images, step)",
            f"done = average({dtype}_pointer(out + (channels + c) * {item}), totals, m, count)",
        ),
    ]


def _strip_sums(dtype: str) -> Body:
    parts = _over_images(
        "added(totals, products, g, x, m, images, step)",
        [("totals", "load_input(g_p, i)"), ("products", "off")],
        off="load_input(g_p, i) * load_input(x_p, i)",
        moving=("g", "x"),
    ) + run("put(y, totals, m)", f"store_output(y, i, {dtype}(load(totals, i)))")
    item = ITEMSIZE[dtype]
    g, x = (f"{dtype}_pointer({name} + c * {item})" for name in "gx")
    return parts, [
        "totals = strip_float64()",
        "products = strip_float64()",
        f"step = channels * {item}",
        *_strips(
            f"done = added(totals, products, {g}, {x}, m, images, step)",
            f"done = put({dtype}_pointer(out + c * {item}), totals, m)",
            f"done = put({dtype}_pointer(out + (channels + c) * {item}), products, m)",
        ),
    ]


def _strip_standard(dtype: str) -> Body:
    parts = run(
        "settled(scales, shifts, means, variances, gammas, betas, m, eps)",
        "scale = load_input(gammas, i) / m_sqrt(load_input(variances, i) + eps)",
        "store_output(scales, i, scale)",
        "off = load_input(means, i) * scale",
        "store_output(shifts, i, load_input(betas, i) - off)",
    ) + part(
        "scaled(y, x, scales, shifts, m, images, step)",
        "for j in range(images):",
        "    x_p = shifted(x, j * step)",
        "    y_p = shifted(y, j * step)",
        "    for i in range(m):",
        "        value = load_input(x_p, i) * load_input(scales, i) + load_input(shifts, i)",
        "        store_output(y_p, i, value)",
        "return 0",
    )
    item = ITEMSIZE[dtype]
    means, variances, gammas, betas, x, y = (
        f"{dtype}_pointer({at} * {item})"
        for at in (
            *("moments + c", "moments + (channels + c)", "gamma + c", "beta + c"),
            *("x + c", "out + c"),
        )
    )
    return parts, [
        f"scales = strip_{dtype}()",
        f"shifts = strip_{dtype}()",
        f"step = channels * {item}",
        *_strips(
            f"done = settled(scales, shifts, {means}, {variances}, {gammas}, {betas}, m, eps)",
            f"done = scaled({y}, {x}, scales, shifts, m, images, step)",
        ),
    ]


def _strips(*lines: str) -> list[str]:
    """Return the loop over strips of `m` channels from `c` on."""
    return [
        "done = 0",
        "c = lo",
        "while c < hi:",
        f"    m = min(hi - c, {WIDTH})",
        *("    " + line for line in lines),
        "    c += m",
    ]


def _over_images(
    head: str, totals: list[tuple[str, str]], *, off: str = "", moving: tuple[str, ...] = ("x",)
) -> str:
    """Each strip becomes the sum of its value over the images; `off` is computed first."""
    return part(
        head,
        "for i in range(m):",
        *(f"    store_output({name}, i, float64(0))" for name, _ in totals),
        "for j in range(images):",
        *(f"    {name}_p = shifted({name}, j * step)" for name in moving),
        "    for i in range(m):",
        *([f"        off = {off}"] if off else []),
        *(
            f"        store_output({name}, i, load({name}, i) + float64({value}))"
            for name, value in totals
        ),
        "return 0",
    )
