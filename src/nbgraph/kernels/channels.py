"""Texts of kernels over channels of data, which are (images, channels, cells).

[lo, hi) counts channels. Blocks of a run are added up in vectors, their totals in float64 one after
another; for a variance differences from the mean are squared in a second pass.
"""

from __future__ import annotations

from nbgraph.kernels.loops import BLOCK
from nbgraph.kernels.windows import ITEM
from nbgraph.kernels.written import Record, function, part


def record(*addresses: str) -> Record:
    """The record: sizes and addresses, cells, and what is added to a variance."""
    return Record(("images", "channels"), addresses, ("cells", "eps"))


def moments_text(dtype: str) -> str:
    """out[0, channel] is the mean, out[1, channel] the variance, divided by the number."""
    item, layout = ITEM[dtype], record("x", "out")
    run = f"{dtype}_pointer(x + (n * channels + c) * cells * {item})"
    return (
        _total("added(x, n)", "load_input(x, start + i)", dtype)
        + _total("spread(x, n, mean)", "off * off", dtype, off="load_input(x, start + i) - mean")
        + function(
            "def channel_moments(args, lo, hi):",
            *layout.reading(*_READ, "x", "out"),
            f"y = {dtype}_pointer(out)",
            "count = float64(images * cells)",
            "for c in range(lo, hi):",
            "    total = float64(0)",
            "    for n in range(images):",
            f"        total = total + added({run}, cells)",
            f"    mean = {dtype}(total / count)",
            "    squares = float64(0)",
            "    for m in range(images):",
            f"        squares = squares + spread({run.replace('n *', 'm *')}, cells, mean)",
            "    store(y, c, mean)",
            f"    store(y, channels + c, {dtype}(squares / count))",
            "return 0",
        )
    )


def sums_text(dtype: str) -> str:
    """out[0, channel] is the sum of g, out[1, channel] that of g * x."""
    item, layout = ITEM[dtype], record("g", "x", "out")
    at = f"(n * channels + c) * cells * {item}"
    g, x = f"{dtype}_pointer(g + {at})", f"{dtype}_pointer(x + {at})"
    return (
        _total("added(x, n)", "load_input(x, start + i)", dtype)
        + _total("along(x, y, n)", "load_input(x, start + i) * load_input(y, start + i)", dtype)
        + function(
            "def channel_sums(args, lo, hi):",
            *layout.reading(*_READ, "g", "x", "out"),
            f"y = {dtype}_pointer(out)",
            "for c in range(lo, hi):",
            "    total = float64(0)",
            "    products = float64(0)",
            "    for n in range(images):",
            f"        total = total + added({g}, cells)",
            f"        products = products + along({g}, {x}, cells)",
            f"    store(y, c, {dtype}(total))",
            f"    store(y, channels + c, {dtype}(products))",
            "return 0",
        )
    )


def standard_text(dtype: str) -> str:
    """out = x * scale + shift, where scale is gamma over the root of variance + eps, and shift
    brings the mean to beta."""
    item, layout = ITEM[dtype], record("x", "moments", "gamma", "beta", "out")
    at = f"(n * channels + c) * cells * {item}"
    return part(
        "scaled(y, x, m, scale, shift)",
        "for i in range(m):",
        "    store_output(y, i, load_input(x, i) * scale + shift)",
        "return 0",
    ) + function(
        "def batch_standard(args, lo, hi):",
        *layout.reading(*_READ, "x", "moments", "gamma", "beta", "out"),
        f"eps = {dtype}_word(args, {layout.place('eps')})",
        f"both = {dtype}_pointer(moments)",
        "done = 0",
        "for c in range(lo, hi):",
        "    root = m_sqrt(load(both, channels + c) + eps)",
        f"    scale = load({dtype}_pointer(gamma), c) / root",
        "    off = load(both, c) * scale",
        f"    shift = load({dtype}_pointer(beta), c) - off",
        "    for n in range(images):",
        f"        done = scaled({dtype}_pointer(out + {at}), {dtype}_pointer(x + {at}), cells, "
        "scale, shift)",
        "return 0",
    )


_READ = ("images", "channels", "cells")


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
