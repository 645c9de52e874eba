"""Functions without source text: compiled by Numba itself, differentiated by dual numbers.

Such a function is one node in the scalar graph. Its inside is unknown, so a backward pass keeps all
operands (T2), and its mathematics is Numba's. `explain()` marks it opaque.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import marshal
import math
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import CaptureError, DerivativeError
from nbgraph.kernels.capture.values import Static, Value
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.interpret import Domain, Unreached

_LINES = 5_000  # most lines that a function may execute at one point
_OWN = ("mpmath.", "nbgraph.")  # modules whose lines are not counted
_SAMPLES = (0.7, 1.9, -0.6, 3.0, 0.1)


class Extern:
    """One result of an opaque function, or a derivative of it."""

    def __init__(
        self, fn: types.FunctionType, result: int | None, wrt: tuple[int, ...] = ()
    ) -> None:
        self.fn, self.result, self.wrt = fn, result, wrt
        self.identity = f"{content(fn)} {result} {wrt}"

    def __repr__(self) -> str:
        return f"Extern({self.identity[:12]} {self.result} {self.wrt})"

    def derivative(self, index: int) -> Extern:
        """Return the partial w.r.t. an argument."""
        if len(self.wrt) >= 2:
            raise DerivativeError(
                f"{self.fn.__name__}: derivatives of a function without source text go to the "
                "second order; define it in a file or notebook cell"
            )
        return Extern(self.fn, self.result, (*self.wrt, index))

    def compiled(self, compute: str) -> Any:
        """Return the Numba function over scalars of the compute dtype."""
        from nbgraph.kernels.function.dual import compiled

        return compiled(self.fn, self.result, self.wrt, compute)

    def function(self) -> Any:
        """Return the compiled function of Python floats; DerivativeError if Numba refuses it."""
        from numba.core.errors import NumbaError

        code = self.fn.__code__
        try:
            return _checked(self.identity, self, code.co_argcount + code.co_kwonlyargcount)
        except NumbaError as error:
            reason = next((n for n in str(error).splitlines() if "No implementation" in n), "")
            raise DerivativeError(
                f"{self.fn.__name__}: there is no derivative of it without its source text; define "
                f"it in a file or a notebook cell. Numba says: {reason or type(error).__name__}"
            ) from error

    def evaluate(self, domain: Domain, args: Sequence[Any]) -> Any:
        """Return the value at a point, in the domain's numbers; compiled for a derivative.

        Raises Exhausted or Unreached for text that does not end; compiled code cannot be stopped.
        """
        value = _watched(_rebound(self.fn, domain), args, domain)
        if self.wrt:
            return domain.number(float(self.function()(*(float(a) for a in args))))
        return value if self.result is None else value[self.result]


@functools.lru_cache(maxsize=64)
def _checked(identity: str, extern: Extern, count: int) -> Any:
    import numba

    inner = extern.compiled("float64")
    names = ", ".join(f"a{i}" for i in range(count))
    space: dict[str, Any] = {"inner": inner}
    exec(f"def call({names}): return inner({names})", space)
    return numba.njit(numba.float64(*[numba.float64] * count))(space["call"])


def _rebound(fn: types.FunctionType, domain: Domain) -> types.FunctionType:
    """Return the function with `math` and NumPy replaced by the domain's functions."""
    table = dict(domain.functions)
    table |= {"arcsin": table["asin"], "arccos": table["acos"], "arctan": table["atan"]}
    table |= {"abs": abs, "fabs": abs, "maximum": max, "minimum": min}
    stand_in = types.SimpleNamespace(**vars(math) | table)
    space = {
        name: stand_in if value in (math, np) else value
        for name, value in fn.__globals__.items()
        if name in fn.__code__.co_names
    }
    space["__builtins__"] = fn.__globals__.get("__builtins__", __builtins__)
    function = types.FunctionType(fn.__code__, space, fn.__name__, fn.__defaults__, fn.__closure__)
    function.__kwdefaults__ = fn.__kwdefaults__
    count, only = fn.__code__.co_argcount, fn.__code__.co_kwonlyargcount
    if not only:
        return function
    names = fn.__code__.co_varnames[count : count + only]
    return lambda *a: function(*a[:count], **dict(zip(names, a[count:], strict=True)))  # type: ignore[return-value]


def _watched(fn: types.FunctionType, args: Sequence[Any], domain: Domain) -> Any:
    """Return the function's result; each line executed counts against the domain's budget.

    Raises Unreached after too many lines.
    """
    lines = itertools.count(1)

    def trace(frame: types.FrameType, event: str, _arg: object) -> Any:
        if event == "call" and str(frame.f_globals.get("__name__")).startswith(_OWN):
            return None
        if event == "line":
            if domain.budget is not None:
                domain.budget.spend(domain.units)
            if next(lines) > _LINES:
                raise Unreached(f"{fn.__name__} ran {_LINES} lines")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return fn(*args)
    finally:
        sys.settrace(before)


def opaque_call(graph: Graph, fn: types.FunctionType, values: Sequence[Value]) -> Value:
    """Return the function applied to values, with a node for each result."""
    if any(isinstance(v, Static) for v in values):
        raise CaptureError(
            f"{fn.__name__}: the source text cannot be found, so parameters must be numbers; "
            "define the function in a file or a notebook cell"
        )
    count = _results(fn, len(values))
    nodes = [graph.float(v) for v in values]
    if count is None:
        return graph.node("extern", nodes, "f", Extern(fn, None))
    return tuple(graph.node("extern", nodes, "f", Extern(fn, i)) for i in range(count))


def _results(fn: types.FunctionType, arity: int) -> int | None:
    """Return the number of results by trying the function; None for a single number."""
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    error: Exception | None = None
    for sample in itertools.islice(itertools.cycle(_SAMPLES), len(_SAMPLES)):
        try:
            value = fn(**dict.fromkeys(names[:arity], sample))
        except (ArithmeticError, ValueError) as caught:
            error = caught
            continue
        except Exception as caught:
            raise CaptureError(
                f"{fn.__name__}: the source text cannot be found, and a call with {sample} fails: "
                f"{caught!r}; define the function in a file or a notebook cell"
            ) from caught
        parts = value if isinstance(value, tuple) else (value,)
        if not all(np.isscalar(part) for part in parts):
            raise CaptureError(
                f"{fn.__name__}: the result {value!r} is neither a number nor a tuple of numbers; "
                "return numbers as one tuple, e.g. `return x, *others`"
            )
        return len(parts) if parts is value else None
    raise CaptureError(
        f"{fn.__name__}: the source text cannot be found, and calls with {_SAMPLES} fail: {error!r}"
    )


def content(fn: types.FunctionType) -> str:
    """Return a hash of a function's code, its constants and the objects and functions it reads."""
    seen: set[int] = set()
    digest = hashlib.sha256()

    def visit(function: types.FunctionType) -> None:
        if id(function) in seen:
            return
        seen.add(id(function))
        code = function.__code__.replace(co_filename="", co_firstlineno=1)
        digest.update(marshal.dumps(code))
        digest.update(repr((function.__defaults__, function.__kwdefaults__)).encode())
        cells = [c.cell_contents for c in function.__closure__ or ()]
        reads = [function.__globals__.get(n) for n in function.__code__.co_names]
        for value in (*cells, *reads):
            inner = getattr(value, "py_func", value)
            if isinstance(inner, types.FunctionType):
                visit(inner)
            elif isinstance(value, (int, float, bool, str, tuple)):
                digest.update(repr(value).encode())
            elif value is not None:
                digest.update(str(getattr(value, "__name__", type(value))).encode())

    visit(fn)
    return digest.hexdigest()
