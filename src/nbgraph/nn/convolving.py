"""Convolutions over one to three axes of space, their transposes, and pools."""

from typing import Any, ClassVar

from nbgraph.errors import ShapeError, function_name, require_whole, require_word
from nbgraph.nn.layers import Activation, activation_of, glorot
from nbgraph.nn.module import Module
from nbgraph.nn.state import Initialiser
from nbgraph.ops.define import library
from nbgraph.ops.draws import initial
from nbgraph.ops.windows.windows import per_axis

Extents = int | tuple[int, ...]
_CHANNELS = (
    "It takes (features, window), as Conv2d(8, 3); that of channels in follows from the array"
)


class _Windowed(Module):
    """The common part of convolutions; `axes` is how many axes of space there are."""

    axes: ClassVar[int]

    def __init__(
        self,
        features: int,
        window: Extents,
        activation: Activation = None,
        *,
        in_channels: int | None = None,
        stride: Extents = 1,
        pad: Extents = 0,
        dilation: Extents = 1,
        groups: int = 1,
        bias: bool = True,
        init: Initialiser | None = None,
    ) -> None:
        name = type(self).__name__
        self.features = require_whole(f"{name}: features", features)
        self.activation = activation_of(name, activation, _CHANNELS)
        self.window = self._spelled("window", window)
        self.stride, self.pad = self._spelled("stride", stride), self._spelled("pad", pad)
        self.dilation = self._spelled("dilation", dilation)
        self.groups = require_whole(f"{name}: groups", groups)
        if in_channels is not None:
            require_whole(f"{name}: in_channels", in_channels)
        shape = (None, None) if in_channels is None else self._channels(in_channels)
        self.weight = self.declare((*shape, *self.window), init or glorot)
        self.bias = self.declare((features,), initial.zeros()) if bias else None

    def _spelled(self, what: str, value: Extents) -> tuple[int, ...]:
        extents = per_axis(type(self).__name__, what, value, 0 if "pad" in what else 1)
        extents = (extents,) * self.axes if isinstance(extents, int) else extents
        if len(extents) != self.axes:
            raise ShapeError(
                f"{type(self).__name__}: {what}={value!r}; expected a whole number, or {self.axes} "
                "of them"
            )
        return extents

    def _channels(self, channels: int) -> tuple[int, int]:
        """Return the first two extents of the weight."""
        return self.features, channels // self.groups

    def _ready(self, x: Any) -> dict[str, Any]:
        """Create the weight for such data; return the numbers of the operator."""
        if len(x.shape) != self.axes + 2:
            raise ShapeError(
                f"{type(self).__name__}: x has shape {x.shape}; expected (images, channels, space) "
                f"with {self.axes} axes of space"
            )
        self.settle(weight=(*self._channels(x.shape[1]), *self.window))
        names = ("stride", "pad", "dilation", "groups")
        return {name: getattr(self, name) for name in names}

    def _ended(self, out: Any) -> Any:
        return out if self.activation is None else self.activation(out)

    def describe(self) -> str:
        extents = " x ".join(map(str, self.window))
        named = "" if self.activation is None else f", {function_name(self.activation)}"
        return f"{self.features}, {extents}{named}"


class Conv1d(_Windowed):
    """`ng.convolution` over one spatial axis, for data of shape (images, channels, space).

    Parameters
    ----------
    features : int, number of channels of the result
    window : int, or one for each spatial axis
    activation : function of arrays, optional
    in_channels : int, optional; by default those of the first call
    stride, pad, dilation : int, or one for each spatial axis: the step between windows, zeros added
        at both ends, and the step between elements of a window
    groups : int, number of groups of channels and features that are convolved separately
    bias : bool, whether to add a bias
    init : initialiser of the weight, by default uniform (Glorot and Bengio, 2010)

    `weight` has shape (features, channels / groups, *window); `bias` has shape (features,) and is
    initially 0. An extent n becomes (n + 2 * pad - dilation * (window - 1) - 1) // stride + 1.

    >>> import nbgraph as ng
    >>> Conv1d(4, 3, pad=1)(ng.ones((2, 5, 10))).shape
    (2, 4, 10)
    """

    axes = 1

    def forward(self, x: Any) -> Any:
        """Return the convolution, of shape (images, features, *space)."""
        how = self._ready(x)
        return self._ended(library.convolution(x, self.weight, self.bias, **how))


class Conv2d(Conv1d):
    """`ng.convolution` over two axes, for images of shape (images, channels, height, width).

    >>> import nbgraph as ng
    >>> Conv2d(4, (3, 1), ng.relu)(ng.ones((2, 5, 10, 10))).shape
    (2, 4, 8, 10)
    """

    axes = 2


class Conv3d(Conv1d):
    """`ng.convolution` over three axes: (images, channels, depth, height, width).

    >>> import nbgraph as ng
    >>> Conv3d(4, 2, stride=2)(ng.ones((2, 5, 4, 4, 4))).shape
    (2, 4, 2, 2, 2)
    """

    axes = 3


class ConvTranspose1d(_Windowed):
    """The transposed convolution over one spatial axis, which a stride enlarges.

    Parameters
    ----------
    features : int
        Number of channels of the result.
    window : int, or one for each spatial axis
    activation : function of arrays, optional
    in_channels : int, optional
        By default those of the first call.
    stride, pad, dilation : int, or one for each spatial axis
        The step between windows in the result, elements removed at both ends, and the step between
        elements of a window.
    output_pad : int, or one for each spatial axis
        Elements added at the end, fewer than the stride. It selects among the extents that a
        convolution with this stride maps to the same one.
    groups : int
        Number of groups of channels and features that are computed separately.
    bias : bool
        Whether a bias is added.
    init : initialiser
        Of the weight, by default uniform (Glorot and Bengio, 2010).

    `weight` has shape (channels, features / groups, *window). An extent n becomes
    (n - 1) * stride - 2 * pad + dilation * (window - 1) + output_pad + 1.

    >>> import nbgraph as ng
    >>> ConvTranspose1d(4, 2, stride=2)(ng.ones((2, 5, 10))).shape
    (2, 4, 20)
    """

    axes = 1

    def __init__(
        self,
        features: int,
        window: Extents,
        activation: Activation = None,
        *,
        in_channels: int | None = None,
        stride: Extents = 1,
        pad: Extents = 0,
        output_pad: Extents = 0,
        dilation: Extents = 1,
        groups: int = 1,
        bias: bool = True,
        init: Initialiser | None = None,
    ) -> None:
        super().__init__(
            features,
            window,
            activation,
            in_channels=in_channels,
            stride=stride,
            pad=pad,
            dilation=dilation,
            groups=groups,
            bias=bias,
            init=init,
        )
        self.output_pad = self._spelled("output_pad", output_pad)
        if any(more >= step for more, step in zip(self.output_pad, self.stride, strict=True)):
            raise ShapeError(
                f"{type(self).__name__}: output_pad={output_pad!r} beside stride={stride!r}; "
                "expected less than the stride along each axis"
            )

    def _channels(self, channels: int) -> tuple[int, int]:
        return channels, self.features // self.groups

    def forward(self, x: Any) -> Any:
        """Return the transposed convolution, of shape (images, features, *space)."""
        how = self._ready(x)
        how_many = self.window, self.stride, self.pad, self.dilation, self.output_pad
        each = zip(x.shape[2:], *how_many, strict=True)
        size = tuple([(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in each])
        out = library.convolution_data(x, self.weight, self.bias, size=size, **how)
        return self._ended(out)


class ConvTranspose2d(ConvTranspose1d):
    """The transpose of a convolution over two axes: (images, channels, height, width).

    >>> import nbgraph as ng
    >>> ConvTranspose2d(4, 3, stride=2, pad=1)(ng.ones((2, 5, 4, 4))).shape
    (2, 4, 7, 7)
    """

    axes = 2


class ConvTranspose3d(ConvTranspose1d):
    """The transpose of a convolution over three axes: (images, channels, depth, height, width)."""

    axes = 3


class _Pool(Module):
    """Base class of poolings over windows of the spatial axes."""

    def __init__(self, window: Extents, stride: Any, pad: Extents, *, ceil: bool) -> None:
        for what, value, least in (("window", window, 1), ("stride", stride, 1), ("pad", pad, 0)):
            if value is not None or what == "window":
                per_axis(type(self).__name__, what, value, least)
        self.window, self.stride, self.pad, self.ceil = window, stride, pad, ceil

    def _how(self) -> dict[str, Any]:
        return {"stride": self.stride, "pad": self.pad, "ceil": self.ceil}

    def describe(self) -> str:
        return str(self.window)


class MaxPool(_Pool):
    """The maximum of each window, over any number of spatial axes; see `ng.max_pooling`.

    Parameters
    ----------
    window, stride, pad, dilation : int, or one for each spatial axis; stride is by default the
        window
    ceil : bool, whether extents are rounded up, so that windows may reach beyond the data

    >>> import nbgraph as ng
    >>> MaxPool(2)(ng.ones((1, 3, 6, 6))).shape
    (1, 3, 3, 3)
    """

    def __init__(
        self,
        window: Extents,
        stride: Extents | None = None,
        pad: Extents = 0,
        *,
        ceil: bool = False,
        dilation: Extents = 1,
    ) -> None:
        super().__init__(window, stride, pad, ceil=ceil)
        self.dilation = dilation

    def forward(self, x: Any) -> Any:
        """Return the pooled array, of shape (images, channels, *space)."""
        return library.max_pooling(x, self.window, dilation=self.dilation, **self._how())


class AvgPool(_Pool):
    """The mean of each window; see `ng.avg_pooling`.

    Parameters
    ----------
    window, stride, pad : int, or one for each spatial axis; stride is by default the window
    ceil : bool, whether extents are rounded up, so that windows may reach beyond the data
    counted : bool, whether the mean includes the zeros of the padding

    >>> import nbgraph as ng
    >>> AvgPool(2)(ng.ones((1, 3, 6))).shape
    (1, 3, 3)
    """

    def __init__(
        self,
        window: Extents,
        stride: Extents | None = None,
        pad: Extents = 0,
        *,
        ceil: bool = False,
        counted: bool = True,
    ) -> None:
        super().__init__(window, stride, pad, ceil=ceil)
        self.counted = counted

    def forward(self, x: Any) -> Any:
        """Return the pooled array, of shape (images, channels, *space)."""
        return library.avg_pooling(x, self.window, counted=self.counted, **self._how())


class Upsample(Module):
    """Enlarge all spatial axes by an integer factor; "bilinear" requires two of them.

    Parameters
    ----------
    scale : int
    mode : "nearest" repeats elements, "bilinear" interpolates them
    align_corners : bool, whether the corner elements keep their values ("bilinear")

    >>> import nbgraph as ng
    >>> Upsample(2)(ng.array([[[1.0, 2.0]]]))
    array([[[1., 1., 2., 2.]]], dtype=float32)
    """

    def __init__(self, scale: int, *, mode: str = "nearest", align_corners: bool = False) -> None:
        self.scale = require_whole("Upsample: scale", scale)
        self.mode = require_word("Upsample: mode", mode, ("nearest", "bilinear"))
        self.align_corners = align_corners

    def forward(self, x: Any) -> Any:
        """Return the enlarged array."""
        if self.mode == "bilinear":
            sizes = {n: self.scale * k for n, k in zip(("height", "width"), x.shape[2:])}
            return library.BilinearResize2D(x, **sizes, align_corners=self.align_corners)
        for axis in range(2, len(x.shape)):
            x = library.repeat(x, self.scale, axis=axis)
        return x


class GlobalPool(Module):
    """Reduce each channel to its mean or maximum.

    Parameters
    ----------
    largest : bool, whether to take the maximum

    >>> import nbgraph as ng
    >>> GlobalPool()(ng.ones((1, 3, 6, 6))).shape
    (1, 3)
    """

    def __init__(self, *, largest: bool = False) -> None:
        self.largest = largest

    def forward(self, x: Any) -> Any:
        """Return an array of shape (images, channels)."""
        space = tuple(range(2, len(x.shape)))
        return (library.max if self.largest else library.mean)(x, axis=space)
