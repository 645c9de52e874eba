"""Convolutions over one to three axes and their transposes; dense layers."""

from __future__ import annotations

from typing import Any

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, normal, numbers


def _drawn(rng: Rng) -> tuple[int, tuple[int, ...], dict[str, Any]]:
    axes = int(rng.integers(1, 4))
    window = numbers(rng, 1, 4, axes)
    how = {
        "stride": numbers(rng, 1, 4, axes),
        "pad": numbers(rng, 0, 3, axes),
        "dilation": numbers(rng, 1, 3, axes),
        "groups": int(rng.integers(1, 4)),
    }
    if rng.integers(3) == 0:  # one number for all axes
        how |= {k: how[k][0] for k in ("stride", "pad", "dilation")}
    return axes, window, how


def _each(how: dict[str, Any], axes: int) -> Any:
    """Stride, pad and dilation by axis."""
    spelled = [how[k] if isinstance(how[k], tuple) else (how[k],) * axes
               for k in ("stride", "pad", "dilation")]  # fmt: skip
    return zip(*spelled, strict=True)


def convolution(rng: Rng, torch: Any) -> Case:
    """Any stride, pad, dilation and groups, also one channel each; no images one time in ten."""
    axes, window, how = _drawn(rng)
    channels, features = (1, 1) if rng.integers(4) == 0 else numbers(rng, 1, 4, 2)
    least = [max(1, (k - 1) * g + 1 - 2 * p)
             for k, (_, p, g) in zip(window, _each(how, axes))]  # fmt: skip
    space = [n + int(rng.integers(0, 6)) for n in least]
    images = 0 if rng.integers(10) == 0 else int(rng.integers(1, 3))
    groups = how["groups"]
    operands = [
        normal(rng, images, groups * channels, *space),
        normal(rng, groups * features, channels, *window),
    ]
    if flag(rng):
        operands.append(normal(rng, groups * features))
    theirs = getattr(torch.nn.functional, f"conv{axes}d")
    return Case(
        f"convolution {how}",
        operands,
        lambda x, w, b=None: ng.convolution(x, w, b, **how),
        lambda x, w, b=None: theirs(
            x, w, b, how["stride"], how["pad"], how["dilation"], how["groups"]
        ),
    )


def transposed(rng: Rng, torch: Any) -> Case:
    """With more space at the ends (`output_padding`) where the stride leaves it open."""
    axes, window, how = _drawn(rng)
    channels, features = (1, 1) if rng.integers(4) == 0 else numbers(rng, 1, 4, 2)
    space, size, more = [], [], []
    for k, (s, p, g) in zip(window, _each(how, axes), strict=True):
        extra = int(rng.integers(0, s))
        n = int(rng.integers(1, 5))
        while (n - 1) * s - 2 * p + (k - 1) * g + 1 + extra < 1:
            n += 1
        space.append(n)
        more.append(extra)
        size.append((n - 1) * s - 2 * p + (k - 1) * g + 1 + extra)
    groups = how["groups"]
    operands = [
        normal(rng, 0 if rng.integers(10) == 0 else 2, groups * channels, *space),
        normal(rng, groups * channels, features, *window),
    ]
    if flag(rng):
        operands.append(normal(rng, groups * features))
    theirs = getattr(torch.nn.functional, f"conv_transpose{axes}d")
    return Case(
        f"convolution_data size={size} output_padding={more} {how}",
        operands,
        lambda x, w, b=None: ng.ops.convolution_data(x, w, b, size=tuple(size), **how),
        lambda x, w, b=None: theirs(
            x, w, b, how["stride"], how["pad"], tuple(more), how["groups"], how["dilation"]
        ),
    )


def dense(rng: Rng, torch: Any) -> Case:
    """`fully_connected` of data with any number of axes, and `nn.Dense` of vectors."""
    rows = numbers(rng, 0, 5, int(rng.integers(0, 3)))
    features, units = numbers(rng, 1, 6, 2)
    flatten = bool(rows) and flag(rng)
    x = normal(rng, *rows, features)
    wide = x[0].size if flatten and x.shape[0] else features
    flatten = flatten and x.shape[0] > 0 and wide > 0
    operands = [x, normal(rng, units, wide if flatten else features)]
    if flag(rng):
        operands.append(normal(rng, units))

    def ours(x: Any, w: Any, b: Any = None) -> Any:
        if rows:
            return ng.fully_connected(x, w, b, flatten=flatten)
        return ng.fully_connected(ng.expand_dims(x, 0), w, b, flatten=False)[0]

    def theirs(x: Any, w: Any, b: Any = None) -> Any:
        return torch.nn.functional.linear(x.flatten(1) if flatten else x, w, b)

    return Case(f"fully_connected {flatten=}", operands, ours, theirs)


def module(rng: Rng, torch: Any) -> Case:
    """`nn.Conv1d` ... `nn.ConvTranspose3d` with the weights of PyTorch's."""
    axes, window, how = _drawn(rng)
    back, bias, groups = flag(rng), flag(rng), how["groups"]
    channels, features = numbers(rng, 1, 3, 2)
    name = f"Conv{'Transpose' if back else ''}{axes}d"
    options = {"stride": how["stride"], "dilation": how["dilation"], "groups": groups, "bias": bias}
    pad = how["pad"] if not back else 0
    layer = getattr(ng.nn, name)(
        groups * features, window, in_channels=groups * channels, pad=pad, **options
    )
    judge = getattr(torch.nn, name)(
        groups * channels, groups * features, window, padding=pad, **options
    ).double()
    space = [(k - 1) * g + 1 + int(rng.integers(0, 4))
             for k, (_, _, g) in zip(window, _each(how, axes))]  # fmt: skip
    weights = [normal(rng, *p.shape) for p in judge.parameters()]

    def ours(x: Any, w: Any, b: Any = None) -> Any:
        layer.weight, layer.bias = w, b
        return layer(x)

    def theirs(x: Any, *w: Any) -> Any:
        named = dict(zip(["weight", "bias"], w))
        return torch.func.functional_call(judge, named, (x,))

    text = f"nn.{name} {window} pad={pad} {options}"
    return Case(text, [normal(rng, 2, groups * channels, *space), *weights], ours, theirs)


KINDS = {"convolution": convolution, "transposed": transposed, "dense": dense, "module": module}
