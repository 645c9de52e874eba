"""Dense layers, embeddings, dropout, and containers of modules."""

import math
from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError, function_name, require_number, require_whole, require_word
from nbgraph.nn.module import Module
from nbgraph.nn.state import Initialiser
from nbgraph.ops.define import library
from nbgraph.ops.draws import initial

Activation = Callable[[Any], Any] | str | None
_SIZES = (
    "Dense takes the number of outputs alone, as Dense(3); that of inputs follows from the array"
)


def activation_of(name: str, activation: Any, remedy: str) -> Callable[[Any], Any] | None:
    """Return a layer's activation function, which may be the name of a function in `ng`."""
    if isinstance(activation, str):
        op = getattr(library, activation, None)
        if op is None:
            raise ArgumentError(
                f"{name}: activation={activation!r}; expected a function of arrays such as "
                "ng.relu, or the name of one, such as 'relu'"
            )
        return op
    if activation is not None and not callable(activation):
        raise ArgumentError(
            f"{name}: activation={activation!r}; expected a function of arrays such as ng.relu. "
            f"{remedy}"
        )
    return activation


def glorot(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return initial weights (Glorot and Bengio, 2010); a module's function can be pickled."""
    return initial.glorot_uniform()(shape, dtype)


class Dense(Module):
    """A fully connected layer: activation(x @ weight.T + bias) over the last axis of x.

    Parameters
    ----------
    units : int, number of outputs
    activation : function of arrays, such as `ng.relu`, or its name, optional
    in_features : int, number of inputs; by default that of the first call
    bias : bool, whether to add a bias
    init : initialiser of the weight (`ng.init`), by default uniform (Glorot and Bengio, 2010)

    `weight` has shape (units, in_features); `bias` has shape (units,) and is initially 0. A call
    maps an array of shape (..., in_features) to (..., units).

    >>> import nbgraph as ng
    >>> Dense(2, in_features=3, init=ng.init.ones())(ng.ones((1, 3)))
    array([[3., 3.]], dtype=float32)
    """

    def __init__(
        self,
        units: int,
        activation: Activation = None,
        *,
        in_features: int | None = None,
        bias: bool = True,
        init: Initialiser | None = None,
    ) -> None:
        self.units = require_whole("Dense: units", units)
        self.activation = activation_of("Dense", activation, _SIZES)
        self.weight = self.declare((units, in_features), init or glorot)
        biased = require_word("Dense: bias", bias, (True, False))
        self.bias = self.declare((units,), initial.zeros()) if biased else None

    def forward(self, x: Any) -> Any:
        """Return an array (..., units) for `x` of shape (..., in_features)."""
        self.settle(weight=(self.units, x.shape[-1]))
        rows = x if len(x.shape) > 1 else library.expand_dims(x, 0)
        out = library.fully_connected(rows, self.weight, self.bias, flatten=False)
        out = out if rows is x else out[0]
        return out if self.activation is None else self.activation(out)

    def describe(self) -> str:
        named = "" if self.activation is None else f", {function_name(self.activation)}"
        return f"{self.units}{named}"


class Embedding(Module):
    """A lookup table: integers to rows of a trained array.

    Parameters
    ----------
    count : int, number of rows
    units : int, size of a row
    init : initialiser of the table, by default normal with standard deviation 0.02
    padding_index : int, optional: index of a row that is initially zero and has no gradient

    `weight` has shape (count, units). A call maps integers of any shape, from -count to count - 1,
    to an array of shape (*shape, units), and raises IndexingError for other integers.

    >>> import nbgraph as ng
    >>> Embedding(10, 4)(ng.array([[1, 2]], "int64")).shape
    (1, 2, 4)
    """

    def __init__(
        self,
        count: int,
        units: int,
        *,
        init: Initialiser | None = None,
        padding_index: int | None = None,
    ) -> None:
        self.weight = self.declare((count, units), init or initial.normal(0.0, 0.02))
        self.padding_index = padding_index
        if padding_index is not None:
            self.weight[padding_index] = 0

    def forward(self, x: Any) -> Any:
        """Return an array of shape (*x.shape, units) for integers `x`."""
        if self.padding_index is None:
            return library.take(self.weight, x, axis=0)
        return library.embedding(x, self.weight, padding_index=self.padding_index)

    def describe(self) -> str:
        return " x ".join(map(str, self.weight.shape))


class Dropout(Module):
    """Set elements to zero with probability `p` in training; see `ng.dropout`.

    Parameters
    ----------
    p : float from 0 to 1

    >>> import nbgraph as ng
    >>> Dropout(0.5)(ng.ones(2))
    array([1., 1.], dtype=float32)
    """

    def __init__(self, p: float = 0.5) -> None:
        self.p = require_number(f"{type(self).__name__}: p", p, 0, 1, noun="a probability")

    def forward(self, x: Any) -> Any:
        return library.dropout(x, self.p) if self.p else x

    def describe(self) -> str:
        return f"{self.p:g}"


class Dropout2d(Dropout):
    """`Dropout` of whole channels, for data of shape (samples, channels, *space) with any number of
    axes of space.

    >>> import nbgraph as ng
    >>> with ng.autograd.train_mode():
    ...     out = Dropout2d(0.5)(ng.ones((1, 100, 3)))
    >>> bool((out[..., :1] == out).all())
    True
    """

    def forward(self, x: Any) -> Any:
        shape = (*x.shape[:2], *[1] * (len(x.shape) - 2))
        return x * library.dropout(library.ones_like(x, shape=shape), self.p) if self.p else x


class PReLU(Module):
    """A rectifier with a trained slope for negative elements; see `ng.prelu`.

    Parameters
    ----------
    channels : int, number of slopes: 1 for all elements, or one for each channel (axis 1)
    init : initialiser of the slopes, by default 0.25

    >>> import nbgraph as ng
    >>> PReLU()(ng.array([[-2.0, 3.0]]))
    array([[-0.5,  3. ]], dtype=float32)
    """

    def __init__(self, channels: int = 1, *, init: Initialiser | None = None) -> None:
        require_whole("PReLU: channels", channels)
        self.slope = self.declare((channels,), init or initial.from_value(0.25))

    def forward(self, x: Any) -> Any:
        slope = library.reshape(self.slope, (-1, *[1] * (len(x.shape) - 2)))
        return library.prelu(x, slope)


class Function(Module):
    """A module that calls a function without parameters.

    Parameters
    ----------
    function : callable of arrays

    >>> import nbgraph as ng
    >>> Function(ng.relu)
    Function(relu)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def forward(self, *args: Any) -> Any:
        """Return the function's result."""
        return self.function(*args)

    def describe(self) -> str:
        return function_name(self.function)


class Flatten(Module):
    """Flatten all axes but the first into one.

    >>> import nbgraph as ng
    >>> Flatten()(ng.ones((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x: Any) -> Any:
        """Return an array of shape (samples, elements of a sample)."""
        return library.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


class Sequential(Module):
    """A chain of modules and functions.

    Parameters
    ----------
    *layers : modules, or functions of one array. `len` and indices refer to them; a slice is a
        Sequential of the same modules.

    Raises
    ------
    ArgumentError for what cannot be called.

    >>> import nbgraph as ng
    >>> net = Sequential(Dense(4, ng.tanh), Dropout(0.1), Dense(2))
    >>> net(ng.ones((5, 3))).shape
    (5, 2)
    >>> net
    Sequential()
      layers.0: Dense(4, tanh)
      layers.1: Dropout(0.1)
      layers.2: Dense(2)
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        for layer in layers:
            if isinstance(layer, type):
                raise ArgumentError(
                    f"Sequential: {layer.__name__} is a class; give a module: {layer.__name__}(...)"
                )
            if not callable(layer):
                raise ArgumentError(
                    f"Sequential: {layer!r} cannot be called; give modules or functions"
                    + (", one by one: Sequential(*layers)" if isinstance(layer, list) else "")
                )
        self.layers = [f if isinstance(f, Module) else Function(f) for f in layers]

    def forward(self, x: Any) -> Any:
        """Return the result of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, i: int | slice) -> Module:
        return Sequential(*self.layers[i]) if isinstance(i, slice) else self.layers[i]
