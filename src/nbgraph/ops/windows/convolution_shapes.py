"""Shapes of a convolution's operands, and errors in them."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgraph.errors import ShapeError, require_shape
from nbgraph.operator.arrays.array_op import Spec, Specs
from nbgraph.ops.define import Shape, require_floats
from nbgraph.ops.windows.windows import Windows, convolved, require_space, spelled
from nbgraph.shape import Shapes


class Layer(NamedTuple):
    """The shapes of a convolution. Channels and features are those of a group."""

    images: int
    groups: int
    channels: int
    features: int
    windows: Windows

    @property
    def rows(self) -> int:
        """The number of rows of the columns."""
        return self.channels * self.windows.volume

    @property
    def x(self) -> Shape:
        """The shape of the data."""
        return (self.images, self.groups * self.channels, *self.windows.ins)

    @property
    def w(self) -> Shape:
        """The shape of the weights."""
        return (self.groups * self.features, self.channels, *self.windows.kernel)

    @property
    def out(self) -> Shape:
        """The shape of the result."""
        return (self.images, self.groups * self.features, *self.windows.outs)

    def cost(self, dtype: str) -> int:
        """Return rough nanoseconds."""
        each = self.rows * self.windows.spots * self.images * self.groups
        return int(each * (self.features / (32 if dtype == "float32" else 16) + 0.3))


class How(NamedTuple):
    """The attributes of a convolution."""

    stride: Any
    pad: Any
    dilation: Any
    groups: int

    @classmethod
    def of(cls, attributes: Any) -> How:
        """Return the attributes of a convolution among others."""
        return cls(*(attributes[field] for field in cls._fields))


def layer_of(name: str, x: Shape, w: Shape, how: How) -> Layer:
    """Return the layer of data and weights of these shapes; ShapeError if they do not fit."""
    axes = require_space(name, "x", x)
    if len(w) != len(x):
        raise ShapeError(
            f"{name}: weight has shape {w} beside x{x}; expected (features, channels / groups, "
            "*window) with as many axes of space"
        )
    groups = how.groups
    if x[1] != groups * w[1] or w[0] % groups:
        raise ShapeError(
            f"{name}: x{x} has {x[1]} channels and weight{w} takes {w[1]} in each of {groups} "
            f"group(s); channels have to be {groups} * {w[1]}, and features a multiple of {groups}"
        )
    step, pad, gap = (
        spelled(name, argument, value, axes)
        for argument, value in zip(("stride", "pad", "dilation"), how, strict=False)
    )
    if 0 in w[2:]:
        raise ShapeError(f"{name}: weight has shape {w}; a window has at least one element")
    windows = convolved(name, x[2:], w[2:], step, pad, gap)
    return Layer(x[0], groups, w[1], w[0] // groups, windows)


def infer(*specs: Spec, **attributes: Any) -> Spec:
    """Return the Spec of a convolution."""
    dtype = require_floats("convolution", *specs)
    layer = layer_of("convolution", specs[0].shape, specs[1].shape, How.of(attributes))
    for own in specs[2:]:
        require_shape("convolution: bias", own.shape, layer.w[:1], "one value for each feature")
    return Spec(layer.out, dtype)


def of_data(specs: Specs, size: Shape, how: How) -> Layer:
    """Return the layer of a gradient by data; `size`: the shape of the data's space."""
    name = "convolution_data"
    g, w = specs[0].shape, specs[1].shape
    require_space(name, "out_grad", g)
    if len(w) != len(g) or g[1] != w[0]:
        raise ShapeError(
            f"{name}: out_grad has shape {g} and weight {w}; expected (images, features, *space) "
            "and (features, channels / groups, *window)"
        )
    if min(size) < 0:
        raise ShapeError(f"{name}: pad={how.pad} leaves a space of {size}; give a smaller pad")
    layer = layer_of(name, (g[0], how.groups * w[1], *size), w, how)
    if layer.out != g:
        raise ShapeError(f"{name}: out_grad has shape {g}; data of space {size} give {layer.out}")
    return layer


def infer_data(*specs: Spec, size: Shape, **attributes: Any) -> Spec:
    """Return the Spec of the gradient by data."""
    layer = of_data(specs, size, How.of(attributes))
    for own in specs[2:]:
        why = "one value for each channel"
        require_shape("convolution_data: bias", own.shape, layer.x[1:2], why)
    return Spec(layer.x, require_floats("convolution_data", *specs))


def of_weights(specs: Specs, size: Shape, how: How) -> Layer:
    """Return the layer of a gradient by weights; `size`: the shape of the window."""
    name = "convolution_weights"
    x, g = specs[0].shape, specs[1].shape
    require_space(name, "x", x)
    if len(g) != len(x) or x[1] % how.groups:
        raise ShapeError(
            f"{name}: x has shape {x} and out_grad {g}; expected as many axes, and channels that "
            f"are a multiple of groups={how.groups}"
        )
    layer = layer_of(name, x, (g[1], x[1] // how.groups, *size), how)
    if layer.out != g:
        raise ShapeError(f"{name}: out_grad has shape {g}; x{x} gives {layer.out}")
    return layer


def infer_weights(*specs: Spec, size: Shape, **attributes: Any) -> Spec:
    """Return the Spec of the gradient by weights."""
    layer = of_weights(specs, size, How.of(attributes))
    return Spec(layer.w, require_floats("convolution_weights", *specs))


def partial(
    in_shapes: Shapes, out_shapes: Shapes, *, groups: int, **how: Any
) -> tuple[Shapes, Shapes]:
    """Infer channels of the weights from the data; features from weights, bias or result; images
    from the result, and extents of space if the stride is 1."""
    (x, w, *bias), (out,) = in_shapes, out_shapes
    known = [s[0] for s in (w, *bias) if s] + ([out[1]] if out and len(out) > 1 else [])
    features = next((n for n in known if n is not None), None)
    if x is not None and len(x) > 2 and (w is None or len(w) == len(x)):
        channels = None if x[1] is None or x[1] % groups else x[1] // groups
        window = (None,) * (len(x) - 2) if w is None else w[2:]
        w = (features, w[1] if w and w[1] is not None else channels, *window)
        out = out if out and len(out) == len(x) else (None,) * len(x)
        images = out[0] if x[0] is None else x[0]
        space = zip(
            *(x[2:], out[2:], window),
            *(
                spelled("convolution", k, how[k], len(window))
                for k in ("stride", "pad", "dilation")
            ),
            strict=True,
        )
        sizes = [
            n if n is not None or step > 1 or None in (m, k) else m - 2 * pad + gap * (k - 1)
            for n, m, k, step, pad, gap in space
        ]
        x, out = (images, x[1], *sizes), (images, features, *out[2:])
    return (x, w, *[(features,) for _ in bias]), (out,)
