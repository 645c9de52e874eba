"""Definition of operators that draw random numbers.

A draw is a push like any other: it returns before the numbers exist. The numbers are fixed at the
push (see `nbgraph.resource`), so they depend neither on scheduling nor on the engine, and no two
draws are equal, although their attributes are.

Parameters are numbers or arrays. If a distribution is a scaled and shifted standard one, arrays
scale and shift standard numbers, and gradients flow to them. For other distributions arrays are
operands without gradient.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype, is_float, name_of
from nbgraph.errors import DeviceError, DTypeError, ShapeError
from nbgraph.operator.arrays.array_op import Attributes, Rule, Spec, Specs
from nbgraph.operator.arrays.drawn_op import DrawnOp, draw_call
from nbgraph.operator.call import carrier_of
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.registry import register
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.ops.define import (
    Shape,
    complete_documentation,
    deferrable,
    library,
    number,
    shape_tuple,
)
from nbgraph.ops.shapes.creation import Number
from nbgraph.settings import config
from nbgraph.shape import Array, Arrays, broadcast

if TYPE_CHECKING:
    from nbgraph.kernels.draws.uniform import Drawn

Fill = Callable[..., None]
DrawnKernel = tuple["Drawn", Sequence[float]]
Kernel = Callable[..., "DrawnKernel | None"]
_NO_OPTIONS = "parameters size dtype device rng plain".split()  # attributes that are not options
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Drawing(DrawnOp):
    """An array of random numbers.

    `fill(rng, out, *parameters, **options)` draws. The operands take the places of parameters that
    are None; without such parameters they only fix the result's device and shape. `kernel(dtype,
    *parameters, **options)` returns the kernel of the same numbers if all parameters are numbers,
    with its own parameters, or None.
    """

    def __init__(
        self, kind: str, fill: Fill, *, gradient: Rule | None = None, kernel: Kernel | None = None
    ) -> None:
        super().__init__(
            f"random_{kind}",
            self._shape,
            self._draw,
            gradient=gradient,
            operands=("*parameters",),
            resources=("parallel_random",),
        )
        self._fill, self._kernel = fill, kernel
        if kernel is not None:
            self.by_kernels()

    def _shape(self, *specs: Spec, size: Shape | None, dtype: np.dtype[Any], **_: Any) -> Spec:
        named = [(f"parameter {i}", s.shape) for i, s in enumerate(specs)]
        shape = broadcast(self.__name__, named) if specs else ()
        if size is None:
            return Spec(shape, dtype)
        if broadcast(self.__name__, [*named, ("size", size)]) != size:
            raise ShapeError(
                f"{self.__name__}: the parameters have shape {shape} together, which size={size} "
                "does not hold; leave size out, or give one that ends in that shape"
            )
        return Spec(size, dtype)

    def _draw(
        self,
        inputs: Arrays,
        outputs: Arrays,
        *,
        env: EnvArguments,
        parameters: Sequence[Any],
        size: Shape | None,
        dtype: np.dtype[Any],
        device: Context | None,
        rng: Any,
        **options: Any,
    ) -> None:
        own = {"parameters": parameters, "dtype": outputs[0].dtype, **options}
        kernel = None if options.pop("plain", False) else self._by_numbers(own)
        if kernel is not None:
            _by_kernel(kernel, env.random(), outputs[0])
            return
        arrays = iter(inputs)
        values = [next(arrays) if p is None else p for p in parameters]
        with np.errstate(all="ignore"):  # results show an infinity in its place
            self._fill(env.random(), outputs[0], *values, **options)

    def drawn_call(
        self, operands: Specs, stores: Sequence[bool], attributes: Attributes, *, host: bool
    ) -> KernelCall | None:
        kernel = self._by_numbers(attributes)
        if kernel is None:
            return None
        drawn, parameters = kernel
        (out,) = self.infer(operands, attributes)
        return draw_call(drawn, (), math.prod(out.shape), values=len(parameters), host=host)

    def _by_numbers(self, attributes: Attributes) -> DrawnKernel | None:
        """Return the kernel and its parameters if all parameters are numbers, or None."""
        values = attributes["parameters"]
        if self._kernel is None or None in values:
            return None
        options = {name: value for name, value in attributes.items() if name not in _NO_OPTIONS}
        return self._kernel(name_of(attributes["dtype"]), *values, **options)

    def fixed(self, attributes: Attributes) -> Attributes:
        kernel = self._by_numbers(attributes)
        return attributes if kernel is None else {**attributes, "parameters": kernel[0]}

    def values(self, attributes: Attributes) -> Sequence[Any]:
        kernel = self._by_numbers(attributes)
        return () if kernel is None else kernel[0].words(*kernel[1])


def _by_kernel(kernel: DrawnKernel, rng: np.random.Generator, out: Array) -> None:
    """Fill an array of the host, of any strides."""
    from nbgraph.kernels.draws.uniform import fill
    from nbgraph.resource.random import draw_behind

    drawn, parameters = kernel
    whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    fill(drawn, whole, parameters, draw_behind(rng).words)
    if whole is not out:
        out[...] = whole


def named(name: str) -> Callable[[_Function], _Function]:
    """Decorate a function: register it under this name alone; `ng.random` has its own."""

    def decorate(function: _Function) -> _Function:
        complete_documentation(function)
        return register(function, name)

    return decorate


_OPTIONS = {
    "size": "int or shape; by default that of the parameters together",
    "device": "Context of numbers that no array places, by default the host",
    "rng": "a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream",
}


def with_random_docs(function: _Function) -> _Function:
    """Decorate a draw: add the options of all draws to its text. It reads the dtypes of parameters,
    so on symbols it may be deferred."""
    parameters = inspect.signature(function).parameters
    whole = parameters["dtype"].default if "dtype" in parameters else None
    own = "that of arrays among the parameters, else ng.config.default_float"
    asked = {**_OPTIONS, "dtype": f"of the numbers, by default {whole or own}"}
    listed = "\n".join(f"{name} : {asked[name]}" for name in parameters if name in asked)
    complete_documentation(function)
    text = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = f"{text}\n\nOther Parameters\n----------------\n{listed}\n"
    return deferrable(draws=True)(function)


# what is asked for ------------------------------------------------------------------------------


class Domain:
    """The domain of a parameter; values known at the call are checked."""

    def __init__(self, text: str, holds: Callable[[Any], Any]) -> None:
        self.text, self.holds = text, holds

    def check(self, name: str, argument: str, value: Any) -> None:
        """Raise ValueError if a number, or an element of a NumPy array, is outside."""
        if not isinstance(value, (int, float, np.ndarray)):
            return
        holds = self.holds(value)
        if not (holds.all() if isinstance(holds, np.ndarray) else holds):
            raise ValueError(f"{name}: {argument}={value!r}; expected {self.text}")


ANY = Domain("a number", lambda v: True)
FINITE = Domain("finite numbers", np.isfinite)
NOT_NEGATIVE = Domain("0 or more", lambda v: v >= 0)
POSITIVE = Domain("more than 0", lambda v: v > 0)
PROBABILITY = Domain("a probability from 0 to 1", lambda v: (v >= 0) & (v <= 1))
SUCCESS = Domain("a probability above 0, up to 1", lambda v: (v > 0) & (v <= 1))


def parameter(name: str, argument: str, value: Any, domain: Domain = ANY) -> Any:
    """Return a parameter as a Python number or an array, checked against its domain if known."""
    if carrier_of((value,)) is not None:
        return value
    if type(value) is float or type(value) is int:
        domain.check(name, argument, value)
        return value
    if np.ndim(value) == 0:
        value = number(name, argument, value)
    else:
        value = np.asarray(as_operand(name, argument, value))
    domain.check(name, argument, value)
    return value


def _arrays(values: Sequence[Any]) -> list[Any]:
    return [v for v in values if not isinstance(v, (int, float))]


def float_dtype(name: str, dtype: Any, values: Sequence[Any] = ()) -> np.dtype[Any]:
    """Return the dtype of real numbers: that of arrays among the parameters, or the default."""
    if dtype is None:
        own = [a.dtype for a in _arrays(values) if is_float(a.dtype)]
        return np.result_type(*own) if own else as_dtype(config.default_float)
    known = as_dtype(dtype)
    if not is_float(known):
        raise DTypeError(f"{name}: dtype={known}; expected a floating one: use astype for others")
    return known


def seed_of(rng: Any) -> Any:
    """Return `rng` as a hashable attribute."""
    return tuple(rng) if isinstance(rng, list) else rng


def apply(
    op: Drawing,
    operands: Sequence[Any],
    parameters: Sequence[Number | None],
    *,
    size: Any,
    dtype: np.dtype[Any],
    device: Context | None,
    rng: Any,
    **options: Any,
) -> Any:
    """Push a draw."""
    if config.compiler == "python":
        options["plain"] = True  # the thread that runs it has other settings
    name = op.__name__
    if operands and device is not None:
        place = next((a.device for a in operands if isinstance(a.device, Context)), device)
        if place != device:
            raise DeviceError(
                f"{name}: device={device}, but the parameters are on {place}; leave device out"
            )
    return op(
        *operands,
        parameters=tuple(parameters),
        size=None if size is None else shape_tuple(name, size, "size"),
        dtype=dtype,
        device=None if operands else device,
        rng=seed_of(rng),
        **options,
    )


def drawn(op: Drawing, values: Sequence[Any], **asked: Any) -> Any:
    """Return numbers of a distribution; arrays among the parameters are operands."""
    arrays = _arrays(values)
    numbers = [v if isinstance(v, (int, float)) else None for v in values]
    return apply(op, arrays, numbers, **asked)


def moved(op: Drawing, loc: Any, scale: Any, *, dtype: Any, **asked: Any) -> Any:
    """Return `loc + scale * standard numbers`: by the draw itself if both are numbers."""
    arrays = _arrays((loc, scale))
    dtype = float_dtype(op.__name__, dtype, arrays)
    if not arrays:
        return apply(op, (), (loc, scale), dtype=dtype, **asked)
    result = apply(op, arrays, (0, 1), dtype=dtype, **asked)
    if not (isinstance(scale, (int, float)) and scale == 1):
        result = library.multiply(result, _cast(scale, dtype))
    if not (isinstance(loc, (int, float)) and loc == 0):
        result = library.add(result, _cast(loc, dtype))
    return result


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, (int, float)) or value.dtype == dtype:
        return value
    return library.astype(value, dtype)
