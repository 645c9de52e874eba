"""Texts of kernels over channels of data, which are (images, channels, cells).

[lo, hi) counts channels. Blocks of a run are added up in vectors, their totals in float64 one after
another; for a variance differences from the mean are squared in a second pass. Of data whose runs
are single cells, strips of channels, which lie side by side, are worked on: `channel_strips`.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels import channel_strips as strips
from nbgraph.kernels.loops import BLOCK
from nbgraph.kernels.windows import ITEM
from nbgraph.kernels.written import Record, function, part

_READ = ("images", "channels", "cells")


def record(*addresses: str, rest: Sequence[str] = ("eps",)) -> Record:
    """The record: sizes and addresses, cells, and the rest: of most what is added to a
    variance."""
    return Record(("images", "channels"), addresses, ("cells", *rest))


# moments ----------------------------------------------------------------------------------------


def moments_text(dtype: str, *, beside: bool) -> str:
    """out[0, channel] is the mean, out[1, channel] the variance, divided by the number."""
    return _moment_parts(dtype, beside=beside) + function(
        "def channel_moments(args, lo, hi):",
        *record("x", "out").reading(*_READ, "x", "out"),
        *_moments(dtype, beside=beside),
        "return 0",
    )


def statistics_text(dtype: str, *, beside: bool) -> str:
    """As `moments_text` where `trains`, and the states move; else the states. `ratio` is what a
    variance is multiplied by for the state; `told` becomes `trains`."""
    layout = record("x", "mean", "variance", "out", "told", rest=("momentum", "ratio", "trains"))
    return _moment_parts(dtype, beside=beside) + function(
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
        *_moments(dtype, beside=beside),
        "for k in range(lo, hi):",
        "    was = load(means, k)",
        "    store(means, k, was + momentum * (load(made, k) - was))",
        "    was_spread = load(variances, k)",
        "    spread_now = ratio * load(made, channels + k)",
        "    store(variances, k, was_spread + momentum * (spread_now - was_spread))",
        "return 0",
    )


def _moment_parts(dtype: str, *, beside: bool) -> str:
    if beside:
        return strips.moment_parts(dtype)
    return _total("added(x, n)", "load_input(x, start + i)", dtype) + _total(
        "spread(x, n, mean)", "off * off", dtype, off="load_input(x, start + i) - mean"
    )


def _moments(dtype: str, *, beside: bool) -> list[str]:
    """Reads `x`, `out` and sizes."""
    if beside:
        return strips.moments(dtype)
    run = f"{dtype}_pointer(x + (n * channels + c) * cells * {ITEM[dtype]})"
    return [
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
    parts = strips.sum_parts(dtype) if beside else _sum_parts(dtype)
    return parts + function(
        "def channel_sums(args, lo, hi):",
        *layout.reading(*_READ, "g", "x", "out"),
        *(strips.sums(dtype) if beside else _sums(dtype)),
        "return 0",
    )


def _sum_parts(dtype: str) -> str:
    return _total("added(x, n)", "load_input(x, start + i)", dtype) + _total(
        "along(x, y, n)", "load_input(x, start + i) * load_input(y, start + i)", dtype
    )


def _sums(dtype: str) -> list[str]:
    at = f"(n * channels + c) * cells * {ITEM[dtype]}"
    g, x = f"{dtype}_pointer(g + {at})", f"{dtype}_pointer(x + {at})"
    return [
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
    parts = strips.standard_parts(dtype) if beside else _standard_parts()
    return parts + function(
        "def batch_standard(args, lo, hi):",
        *layout.reading(*_READ, "x", "moments", "gamma", "beta", "out"),
        f"eps = {dtype}_word(args, {layout.place('eps')})",
        *(strips.standard(dtype) if beside else _standard(dtype)),
        "return 0",
    )


def _standard_parts() -> str:
    return part(
        "scaled(y, x, m, scale, shift)",
        "for i in range(m):",
        "    store_output(y, i, load_input(x, i) * scale + shift)",
        "return 0",
    )


def _standard(dtype: str) -> list[str]:
    at = f"(n * channels + c) * cells * {ITEM[dtype]}"
    y, x = (f"{dtype}_pointer({name} + {at})" for name in ("out", "x"))
    return [
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
    """The sum over a run; `off` is computed first."""
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
