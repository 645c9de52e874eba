"""Texts of `channels` for data of (images, channels): the channels of an image lie side by side.

WIDTH channels are worked on at once: a total is a strip of numbers on the stack, and the inner loop
runs over channels, so that memory is read in order. The elements of a channel are combined one
after another in float64.
"""

from __future__ import annotations

from nbgraph.kernels.columns import WIDTH
from nbgraph.kernels.windows import ITEM
from nbgraph.kernels.written import part


def moment_parts(dtype: str) -> str:
    """What `moments` calls."""
    return (
        _over_images("added(totals, x, m, images, step)", [("totals", "load_input(x_p, i)")])
        + _over_images(
            "spread(totals, x, means, m, images, step)",
            [("totals", "off * off")],
            off="load_input(x_p, i) - load_input(means, i)",
        )
        + _delivered("average(y, totals, m, count)", f"{dtype}(load(totals, i) / count)")
    )


def moments(dtype: str) -> list[str]:
    """Reads `x`, `out` and sizes."""
    item = ITEM[dtype]
    return [
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


def sum_parts(dtype: str) -> str:
    """What `sums` calls."""
    return _over_images(
        "added(totals, products, g, x, m, images, step)",
        [("totals", "load_input(g_p, i)"), ("products", "off")],
        off="load_input(g_p, i) * load_input(x_p, i)",
        moving=("g", "x"),
    ) + _delivered("put(y, totals, m)", f"{dtype}(load(totals, i))")


def sums(dtype: str) -> list[str]:
    """Reads `g`, `x`, `out` and sizes."""
    item = ITEM[dtype]
    g, x = (f"{dtype}_pointer({name} + c * {item})" for name in "gx")
    return [
        "totals = strip_float64()",
        "products = strip_float64()",
        f"step = channels * {item}",
        *_strips(
            f"done = added(totals, products, {g}, {x}, m, images, step)",
            f"done = put({dtype}_pointer(out + c * {item}), totals, m)",
            f"done = put({dtype}_pointer(out + (channels + c) * {item}), products, m)",
        ),
    ]


def standard_parts(dtype: str) -> str:
    """What `standard` calls."""
    return part(
        "settled(scales, shifts, means, variances, gammas, betas, m, eps)",
        "for i in range(m):",
        "    scale = load_input(gammas, i) / m_sqrt(load_input(variances, i) + eps)",
        "    store_output(scales, i, scale)",
        "    off = load_input(means, i) * scale",
        "    store_output(shifts, i, load_input(betas, i) - off)",
        "return 0",
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


def standard(dtype: str) -> list[str]:
    """Reads `x`, `moments`, `gamma`, `beta`, `out`, `eps` and sizes."""
    item = ITEM[dtype]
    means, variances, gammas, betas, x, y = (
        f"{dtype}_pointer({at} * {item})"
        for at in (
            *("moments + c", "moments + (channels + c)", "gamma + c", "beta + c"),
            *("x + c", "out + c"),
        )
    )
    return [
        f"scales = strip_{dtype}()",
        f"shifts = strip_{dtype}()",
        f"step = channels * {item}",
        *_strips(
            f"done = settled(scales, shifts, {means}, {variances}, {gammas}, {betas}, m, eps)",
            f"done = scaled({y}, {x}, scales, shifts, m, images, step)",
        ),
    ]


def _strips(*lines: str) -> list[str]:
    """The loop over strips of `m` channels from `c` on."""
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


def _delivered(head: str, value: str) -> str:
    return part(head, "for i in range(m):", f"    store_output(y, i, {value})", "return 0")
