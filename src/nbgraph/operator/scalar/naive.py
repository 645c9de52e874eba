"""The naive specification: the user's text itself, run element by element.

Used with `with ng.config(compiler="python")`: breakpoints in the function work. Values are NumPy
scalars of the operands' dtypes, and `math` is replaced by NumPy in that precision, so the rules for
dtypes, infinities and division by zero are NumPy's.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import contextlib
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nbgraph.errors import ArgumentError, ElementError
from nbgraph.kernel_errors import of_element
from nbgraph.kernels.capture.names import names_of
from nbgraph.kernels.capture.number_types import python_isinstance
from nbgraph.kernels.capture.results import AlwaysRaises
from nbgraph.kernels.capture.text import NoSourceError, function_text
from nbgraph.kernels.function.scalar_function import Scalar, WrittenFunction
from nbgraph.kernels.scalar.interpret import Evaluator, FloatDomain, Undetermined
from nbgraph.operator.scalar import arguments, naive_draws
from nbgraph.operator.scalar.invoke import Invoker, _output_shape
from nbgraph.operator.scalar.typing import Array
from nbgraph.shape import broadcast

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise


def call(
    scalar: Scalar,
    values: Sequence[object],
    parameters: Mapping[str, Any],
    *,
    out: Sequence[Array | None],
    where: object = True,
    dtype: object = None,
    casting: str = "same_kind",
    order: str = "K",
    quiet: bool = True,
) -> tuple[Array, ...]:
    """Return outputs for operands, like `Invoker.call`, by running the text per element; NumPy
    warns of divisions by zero and the like unless `quiet`."""
    invoker = Invoker(scalar)
    operands, plan = invoker.prepare(values, parameters, dtype, casting)
    mask = np.asarray(where)
    labels = zip(scalar.operands, (o.shape for o in operands), strict=True)
    shape = broadcast(scalar.name, [*labels, ("where", mask.shape)])
    for index, array in enumerate(out):
        if array is not None:
            invoker._check_out(array, plan.typed.outputs[index], index, casting)
    _output_shape(scalar.name, shape, out)
    arrays = np.broadcast_arrays(*operands, mask)
    shape = arrays[0].shape
    function = per_element(scalar, plan.typed.captured.graph, parameters)
    compute = np.dtype(plan.typed.compute).type
    results = [np.empty(shape, d) for d in plan.typed.outputs]
    with np.errstate(all="ignore") if quiet else contextlib.nullcontext():
        for index in np.ndindex(shape):
            if not arrays[-1][index]:
                continue
            scalars = [_lift(a[index], compute) for a in arrays[:-1]]
            try:
                value = function(*scalars)
            except Exception as error:
                place = np.ravel_multi_index(index, shape) if shape else 0
                error.add_note(f"{scalar.name}: element {place}")
                raise
            for result, part in zip(results, _parts(value), strict=True):
                result[index] = part
    finished = []
    for target, result in zip(out, results, strict=True):
        if target is None:
            finished.append(result)
        else:
            np.copyto(target, result, casting=casting, where=mask)  # type: ignore[arg-type]
            finished.append(target)
    return tuple(finished)


def _parts(value: Any) -> list[Any]:
    """Return the numbers of a result, which may be nested tuples or lists."""
    if not isinstance(value, (tuple, list)):
        return [value]
    return [part for item in cast("list[Any]", value) for part in _parts(item)]


def _lift(value: Any, compute: Any) -> Any:
    """Return a value in the precision of computations: 16-bit floats in float32."""
    return compute(value) if value.dtype.kind in "fV" else value


def per_element(scalar: Scalar, graph: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the user's function over scalars, with `math` in NumPy's arithmetic."""
    if isinstance(scalar, WrittenFunction):
        places = scalar.signature.places if scalar.signature else ()
        fn = naive_draws.drawing(scalar.fn) if scalar.draws else scalar.fn
        plain = _as_python(fn) if _is_pythons(scalar.fn) else rebound(fn)
        answer = _without_errors(plain) if scalar.on_invalid == "nan" else plain

        def apply(*operands: Any) -> Any:
            named = {**dict(zip(scalar.operands, operands, strict=True)), **parameters}
            return answer(*[named.pop(name) for name in places], **named)

        def draw(*operands: Any) -> Any:
            rest = dict(zip(scalar.operands[:-1], operands, strict=False)) | dict(parameters)
            run = functools.partial(answer, *[rest.pop(name) for name in places], **rest)
            return naive_draws.run(int(operands[-1]), graph.draws, run)

        return draw if scalar.draws else apply
    return lambda *operands: _interpreted(scalar, operands, parameters)


def _is_pythons(fn: FunctionType) -> bool:
    """Return whether a text needs Python's own numbers: it catches exceptions that NumPy's do not
    raise, or has literals beyond int64."""
    try:
        nodes = [node for part in function_text(fn).body for node in ast.walk(part)]
    except NoSourceError:
        return False
    literals = [node.value for node in nodes if isinstance(node, ast.Constant)]
    large = any(type(value) is int and value >> 63 for value in literals)
    return large or any(isinstance(node, ast.Try) for node in nodes)


def _as_python(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of Python's own numbers."""

    def own(value: Any) -> Any:
        return value.item() if isinstance(value, np.generic) else value

    def call(*operands: Any, **parameters: Any) -> Any:
        named = {name: own(value) for name, value in parameters.items()}
        return fn(*map(own, operands), **named)

    return call


def _without_errors(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose result is NaN where `fn` raises."""

    def call(*operands: Any, **parameters: Any) -> Any:
        try:
            return fn(*operands, **parameters)
        except Exception:
            return math.nan

    return call


def _interpreted(scalar: Scalar, operands: Sequence[Any], parameters: Mapping[str, Any]) -> Any:
    """Return the values of a derived definition, which has no text, by evaluating its graph."""
    kinds = ["f" if np.asarray(o).dtype.kind == "f" else np.asarray(o).dtype.name for o in operands]
    captured = scalar.capture(kinds, parameters)
    leaves = {n.id: o.item() for n, o in zip(captured.operands, operands, strict=True)}
    leaves |= {n.id: parameters[str(n.data)] for n in captured.parameters}
    evaluate = Evaluator(captured.graph, leaves, FloatDomain())
    values = []
    for node in captured.outputs:
        try:
            values.append(evaluate(node))
        except Undetermined:
            values.append(math.nan)
    return values[0] if len(values) == 1 else tuple(values)


def rebound(fn: FunctionType, seen: dict[FunctionType, FunctionType] | None = None) -> FunctionType:
    """Return a copy of a function whose `math`, `cmath` and `complex` compute as NumPy does."""
    seen = {} if seen is None else seen
    if fn in seen:
        return seen[fn]
    space = {**fn.__globals__, "__builtins__": {**vars(builtins), "__import__": _imported}}
    copy = FunctionType(fn.__code__, space, fn.__name__, fn.__defaults__, fn.__closure__)
    copy.__kwdefaults__ = fn.__kwdefaults__
    seen[fn] = copy
    for name in names_of(fn.__code__):
        value = fn.__globals__.get(name, getattr(builtins, name, None))
        if value is math or value is cmath:
            space[name] = numpy_math() if value is math else numpy_cmath()
        elif value is complex:
            space[name] = _complex
        elif value is isinstance:
            space[name] = _isinstance
        elif isinstance(value, FunctionType):
            space[name] = rebound(value, seen)
        elif isinstance(inner := getattr(value, "py_func", None), FunctionType):
            space[name] = rebound(inner, seen)
        elif getattr(value, "__module__", None) in ("math", "cmath") and callable(value):
            module = numpy_math() if value.__module__ == "math" else numpy_cmath()
            space[name] = getattr(module, value.__name__)
    return copy


def _imported(name: str, *rest: Any) -> Any:
    """Return the result of an `import` statement within a function."""
    module = __import__(name, *rest)
    return numpy_math() if module is math else numpy_cmath() if module is cmath else module


@functools.cache
def numpy_math() -> ModuleType:
    """Return a replacement of the module `math` whose functions keep the dtype and never raise."""
    import scipy.special

    module = ModuleType("math")
    module.__dict__.update({k: v for k, v in vars(math).items() if not k.startswith("__")})
    same = "exp exp2 expm1 log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh copysign "
    for name in (same + "fmod nextafter isnan isinf isfinite degrees radians fabs").split():
        setattr(module, name, getattr(np, name))
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
        setattr(module, f"a{name}", getattr(np, f"arc{name}"))
    module.hypot = lambda *legs: functools.reduce(np.hypot, legs, 0.0)  # type: ignore[attr-defined]
    module.atan2, module.pow = np.arctan2, np.power  # type: ignore[attr-defined]
    module.erf, module.erfc = scipy.special.erf, scipy.special.erfc  # type: ignore[attr-defined]
    module.gamma, module.lgamma = scipy.special.gamma, scipy.special.gammaln  # type: ignore[attr-defined]
    module.log = lambda x, base=None: np.log(x) if base is None else np.log(x) / np.log(base)  # type: ignore[attr-defined]
    return module


@functools.cache
def numpy_cmath() -> ModuleType:
    """Return a replacement of `cmath` whose functions keep the precision and never raise."""
    module = ModuleType("cmath")
    module.__dict__.update({k: v for k, v in vars(cmath).items() if not k.startswith("__")})
    for name in "exp log10 sqrt sin cos tan sinh cosh tanh isnan isinf isfinite".split():
        setattr(module, name, _of_complex(getattr(np, name)))
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
        setattr(module, f"a{name}", _of_complex(getattr(np, f"arc{name}")))
    log = _of_complex(np.log)
    others = {
        "log": lambda z, base=None: log(z) if base is None else log(z) / log(base),
        "phase": np.angle,
        "polar": lambda z: (np.abs(z), np.angle(z)),
        "rect": lambda r, phi: _complex(r * np.cos(phi), r * np.sin(phi)),
    }
    module.__dict__.update(others)
    return module


def _of_complex(fn: Any) -> Any:
    return lambda z: fn(np.asarray(z).astype(_complex_dtype(z))[()])


def _isinstance(value: Any, target: Any) -> bool:
    """Return `isinstance` as in kernels, by the kind of a number."""
    targets = target if isinstance(target, tuple) else (target,)
    return python_isinstance(value, tuple([complex if t is _complex else t for t in targets]))


def _complex(real: Any = 0.0, imag: Any = 0.0) -> Any:
    """Return `complex(real, imag)` as a NumPy number: arithmetic with it never raises."""
    if isinstance(real, str):
        return complex(real)
    if np.iscomplexobj(real) or np.iscomplexobj(imag):
        return real + 1j * imag
    value = np.empty((), _complex_dtype(real, imag))
    value.real, value.imag = real, imag
    return value[()]


def _complex_dtype(*parts: Any) -> np.dtype:
    floats = [p for p in parts if not isinstance(p, float) or isinstance(p, np.floating)]
    return np.result_type(*(np.asarray(p).dtype for p in floats or parts), np.complex64)


__all__ = ["ArgumentError", "call", "rebound"]


def with_values(
    op: Elementwise,
    error: ElementError | AlwaysRaises,
    operands: Sequence[Any],
    out: Any,
    options: dict[str, Any],
) -> ElementError:
    """Return the error with the text's message for its element, and the operands there.

    Return the error unchanged if the element is unknown, its operands may have been overwritten, or
    the text does not raise the same for them, as one with random numbers.
    """
    if isinstance(error, AlwaysRaises):
        return error.error
    raised, element = error.raised, error.element
    scalar = op.scalar
    if raised is None or element is None or out is not None:
        return error
    if not isinstance(scalar, WrittenFunction):
        return error
    try:
        values, _, parameters = arguments.split(op, tuple(operands), options)
        scalars = [a.flat[element] for a in np.broadcast_arrays(*values)]
        words = _message(scalar, scalars, op.parameters_of(parameters), error)
    except Exception:  # the error itself takes precedence
        return error
    if words is None:
        return error
    listed = ", ".join(f"{n}={v.item()!r}" for n, v in zip(scalar.operands, scalars, strict=True))
    message = words if "{" in raised.message else raised.message
    return of_element(raised._replace(message=message), element, listed)


def _message(
    scalar: WrittenFunction, scalars: Sequence[Any], parameters: dict[str, Any], error: ElementError
) -> str | None:
    """Return the message that the text raises for an element, or None for another exception."""
    try:
        with np.errstate(all="ignore"):
            per_element(scalar, None, parameters)(*scalars)
    except Exception as raised_here:
        if not isinstance(error, _built_in(type(raised_here))):
            return None
        own = (
            type(raised_here).__name__
            if type(raised_here) is not _built_in(type(raised_here))
            else ""
        )
        return (f"{own}: " if own else "") + ", ".join(map(str, raised_here.args))
    return None


def _built_in(cls: type[BaseException]) -> type[BaseException]:
    """Return the class itself, or its nearest built-in base."""
    return next(c for c in cls.__mro__ if c.__module__ == "builtins")
