"""Functions with derivatives that users define: `custom_vjp` and `custom_jvp`, as in JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from nbgraph.autograd.control.closing import eagerly, entries_of, symbolic, wrapped
from nbgraph.autograd.function import Function
from nbgraph.autograd.linear import vjp
from nbgraph.autograd.results import require_function
from nbgraph.autograd.tree import like, places
from nbgraph.errors import ArgumentError, function_name, noun
from nbgraph.ops.define import library
from nbgraph.signatures import checked

Call = Callable[..., Any]
# functions whose `fwd` runs: calls within it save their arguments and run `fwd` for a gradient
_RUNNING: ContextVar[tuple[CustomDerivative, ...]] = ContextVar("_RUNNING", default=())


class CustomDerivative:
    """A function with a derivative by the user: the result of `custom_vjp` and `custom_jvp`."""

    def __init__(self, name: str, f: Call, nondiff_argnums: Sequence[int]) -> None:
        require_function(name, f)
        self._kind, self._f, self._fixed = name, f, tuple(nondiff_argnums)
        self._forward: Call | None = None
        self._backward: Call | None = None
        functools.update_wrapper(self, f, updated=())

    @property
    def traced_function(self) -> Any:
        """The functions whose texts a graph depends on; see `content`."""
        return self._f, self._forward, self._backward

    def defvjp(self, fwd: Call, bwd: Call) -> None:
        """Set the derivative: `fwd` takes the arguments of the function and returns its result and
        the residuals for `bwd`; `bwd` takes the arguments of `nondiff_argnums`, the residuals, and
        cotangents, and returns those of each other argument."""
        require_function("defvjp", fwd)
        require_function("defvjp", bwd)
        self._forward, self._backward = fwd, bwd

    def defjvp(self, jvp: Call) -> Call:
        """Set the derivative: `jvp` takes the arguments of `nondiff_argnums`, a tuple of the
        others, and one of their tangents; it returns the result, and its tangent, linear in
        those."""
        require_function("defjvp", jvp)

        def forward(*args: Any) -> tuple[Any, Any]:
            return self._f(*args), tuple(a for i, a in enumerate(args) if i not in self._fixed)

        def backward(*arguments: Any) -> Any:
            *fixed, primals, cotangents = arguments
            zeros = like(primals, [library.zeros_like(p.value) for p in places(primals, "")])
            return vjp(lambda *tangents: jvp(*fixed, primals, tangents)[1], *zeros)[1](cotangents)

        self._forward, self._backward = forward, backward
        return jvp

    def defjvps(self, *jvps: Call | None) -> None:
        """Set the derivative by one function for each argument, or None for an argument without
        one: each takes the argument's tangent, the result, and the arguments, and returns a part of
        the tangent."""
        if self._fixed:
            raise ArgumentError(
                f"{function_name(self._f)}: defjvps is for functions without nondiff_argnums; use "
                "defjvp"
            )

        def jvp(primals: Any, tangents: Any) -> Any:
            out = self(*primals)
            parts = [
                rule(tangent, out, *primals)
                for rule, tangent in zip(jvps, tangents, strict=True)
                if rule is not None
            ]
            return out, sum(parts[1:], parts[0]) if parts else library.zeros_like(out)

        self.defjvp(jvp)

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        if self._forward is None:
            how = "defvjp(fwd, bwd)" if self._kind == "custom_vjp" else "defjvp(jvp)"
            raise ArgumentError(
                f"{function_name(self._f)}: its derivative is not given yet; call {how}"
            )
        fixed = {i: value for i, value in enumerate(args) if i in self._fixed}
        moving = tuple(value for i, value in enumerate(args) if i not in self._fixed)

        def run(moving: Any) -> Any:
            return self._applied(fixed, moving)

        if symbolic(moving):
            return run(moving)
        key = self._kind, self, tuple(fixed.items()), self._forward, self._backward
        return eagerly(function_name(self._f), key, run, (moving,), "args")

    def _applied(self, fixed: dict[int, Any], moving: tuple[Any, ...]) -> Any:
        """Return the result for symbols."""
        state = _Applied(self, fixed, moving)
        state.__class__.__name__ = function_name(self._f)
        values = [wrapped(entry) for entry in entries_of(function_name(self._f), moving, "args")]
        results = state(*values)
        return like(state.shape[0], results if isinstance(results, tuple) else [results])

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else functools.partial(self, obj)


class _Applied(Function):
    """One call, with structures flattened to arrays for `Function`."""

    def __init__(
        self, custom: CustomDerivative, fixed: dict[int, Any], moving: tuple[Any, ...]
    ) -> None:
        self._custom, self._fixed, self._structure = custom, fixed, moving
        self._later = custom in _RUNNING.get()
        self.shape: list[Any] = []  # the result's structure, seen by all copies

    def forward(self, *inputs: Any) -> Any:
        custom = self._custom
        args = self._arguments(inputs)
        pair = (custom._f(*args), inputs) if self._later else self._ran(args)
        out, self.residuals = pair
        self.shape.append(out)
        self.save_for_backward(*(p.value for p in places(self.residuals, "")))
        values = [wrapped(e) for e in entries_of(function_name(custom._f), out, "the result")]
        return values[0] if len(values) == 1 else tuple(values)

    def _arguments(self, inputs: Any) -> list[Any]:
        rest = iter(like(self._structure, inputs))
        count = len(self._fixed) + len(self._structure)
        return [self._fixed[i] if i in self._fixed else next(rest) for i in range(count)]

    def _ran(self, args: Sequence[Any]) -> tuple[Any, Any]:
        """Return the results of `fwd`: the result, and the residuals for `bwd`."""
        custom = self._custom
        assert custom._forward is not None
        outer = _RUNNING.get()
        try:
            _RUNNING.set((*outer, custom))
            pair = custom._forward(*args)
        finally:
            _RUNNING.set(outer)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(
                f"{function_name(custom._f)}: fwd returned {noun(pair)}; return a pair: the "
                "result, and what bwd needs"
            )
        return pair

    def backward(self, *out_grads: Any) -> Any:
        custom = self._custom
        backward = custom._backward
        assert backward is not None
        residuals = like(self.residuals, self.saved_tensors)
        residuals = self._ran(self._arguments(residuals))[1] if self._later else residuals
        cotangents = backward(*self._fixed.values(), residuals, like(self.shape[0], out_grads))
        if not isinstance(cotangents, tuple) or len(cotangents) != len(self._structure):
            raise ArgumentError(
                f"{function_name(custom._f)}: bwd returned {noun(cotangents)}; return a tuple with "
                f"a cotangent for each of {len(self._structure)} argument(s), None where there is "
                "none"
            )
        return [
            value
            for own, slope in zip(self._structure, cotangents, strict=True)
            for value in _leaves(own, slope)
        ]


def _leaves(own: Any, slope: Any) -> list[Any]:
    """Return the cotangents of an argument; None stands for zeros."""
    if slope is None:
        return [None] * len(places(own, ""))
    return [p.value for p in places(slope, "")]


@checked
def custom_vjp(f: Call | None = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Return a function whose backward pass is written by hand, with `defvjp(fwd, bwd)`.

    Parameters
    ----------
    f : callable of arrays, or structures of these
    nondiff_argnums : the numbers of arguments that are not arrays, and can be hashed

    >>> import nbgraph as ng
    >>> @ng.custom_vjp
    ... def clipped(x):
    ...     return x * 1
    >>> clipped.defvjp(lambda x: (x * 1, None), lambda _, g: (ng.clip(g, -1, 1),))
    >>> ng.grad(lambda x: (clipped(x) * 5).sum())(ng.array([1.0, 2.0]))
    array([1., 1.], dtype=float32)
    """
    return _decorated("custom_vjp", f, nondiff_argnums)


@checked
def custom_jvp(f: Call | None = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Return a function whose derivative in a direction is written by hand, with `defjvp(jvp)`.

    Parameters
    ----------
    f, nondiff_argnums : as those of `custom_vjp`

    >>> import nbgraph as ng
    >>> @ng.custom_jvp
    ... def f(x):
    ...     return ng.log(1 + ng.exp(x))
    >>> @f.defjvp
    ... def _(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return f(x), ng.sigmoid(x) * t
    >>> float(ng.grad(f)(0.0))
    0.5
    """
    return _decorated("custom_jvp", f, nondiff_argnums)


def _decorated(name: str, f: Call | None, nondiff_argnums: Sequence[int]) -> Any:
    if f is None:
        return lambda own: CustomDerivative(name, own, nondiff_argnums)
    return CustomDerivative(name, f, nondiff_argnums)
