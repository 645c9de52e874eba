"""Distributions inside scalar functions: `scipy.stats.norm.cdf(x)`, `norm(mu, s).pdf(x)`,
`statistics.NormalDist(mu, s).inv_cdf(p)`. SciPy stays unimported."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from nbgraph.kernels.capture.context import Call, Method
from nbgraph.kernels.capture.library import distributions
from nbgraph.kernels.capture.values import Node, Static, Value

_NORMAL = {"pdf": "pdf", "cdf": "cdf", "inv_cdf": "ppf"}  # of statistics.NormalDist
_RENAMED = {"mu": "loc", "sigma": "scale"}
_FIRST = ("x", "k", "q", "p")  # what methods call their first argument


class Distribution(NamedTuple):
    """A distribution by its name in SciPy, with the parameters that it was called with."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()
    methods: str = "scipy"


def distribution_of(value: object) -> Distribution | None:
    """Return the distribution that an object stands for, or None."""
    if isinstance(value, Distribution):
        return value
    kind, frozen = type(value), cast("Any", value)
    if _is_normal(kind):
        return Distribution("norm", (frozen.mean, frozen.stdev), methods="statistics")
    if isinstance(value, type) and _is_normal(value):
        return Distribution("norm", methods="statistics")
    if not kind.__module__.startswith("scipy.stats._"):
        return None
    if kind.__name__.endswith("_frozen") and hasattr(frozen, "dist"):
        inner = distribution_of(frozen.dist)
        rest = tuple(frozen.args), tuple(frozen.kwds.items())
        return None if inner is None else Distribution(inner.name, *rest)
    name = getattr(frozen, "name", None)
    known = any(f"{name}_{method}" in vars(distributions) for method in ("pdf", "cdf"))
    return Distribution(name) if isinstance(name, str) and known else None


def _is_normal(kind: type[Any]) -> bool:
    """Return whether it is `statistics.NormalDist`, which stays unimported."""
    return (kind.__module__, kind.__qualname__) == ("statistics", "NormalDist")


def method_of(value: object, name: str) -> Method | None:
    """Return the method `name` of an object that stands for a distribution, else None."""
    owner = distribution_of(value)
    if owner is None:
        return None
    if owner.methods == "statistics":
        return Method(owner, _NORMAL[name], _method) if name in _NORMAL else None
    return Method(owner, name, _method) if name in distributions.SHIFTED else None


def distribution(call: Call) -> Value | None:
    """Return a distribution with its parameters, or the value of a method of one; else None."""
    target = call.target
    if isinstance(target, MethodType):
        target = method_of(target.__self__, target.__name__)
    if isinstance(target, Method):
        return target.call(call, target.owner, target.name)
    owner = distribution_of(target)
    return None if owner is None else _freeze(call, owner)


def _freeze(call: Call, owner: Distribution) -> Static:
    if owner.args or owner.kwargs:
        call.refuse(f"{owner.name} has its parameters already", "call one of its methods")
    return Static(owner._replace(args=tuple(call.args), kwargs=tuple(call.kwargs.items())))


def _method(call: Call, owner: Distribution, name: str) -> Value:
    """Return the value of a method, by its text."""
    text, call = _text(owner.name, name), call.deep()
    if text is None:
        have = [m for m in distributions.SHIFTED if _text(owner.name, m) is not None]
        what = f"{owner.name}.{name}() is not known to scalar functions"
        call.refuse(what, f"use {', '.join(have)}")
    fn, bases = text
    first = [_value(call, a) for a in owner.args]
    named = {k: _value(call, v) for k, v in owner.kwargs} | dict(call.kwargs)
    named = {_RENAMED.get(k, k): v for k, v in named.items()}
    x, rest = (call.args[0], call.args[1:]) if call.args else (_first(call, named), [])
    *shapes, loc, scale = _parameters(call, bases[0] if bases else fn, [*first, *rest], named)
    if any(isinstance(v, (tuple, Static)) for v in (x, *shapes, loc, scale)):
        call.refuse("the arguments are not all numbers", "give numbers")
    shift = distributions.SHIFTED[name]
    inner = (*map(Static, bases), tuple(shapes)) if bases else tuple(shapes)
    return call.tracer.compose(shift, [Static(fn), x, inner, loc, scale], call.path)


def _text(name: str, method: str) -> tuple[FunctionType, tuple[FunctionType, ...]] | None:
    """Return a method's text; or how it follows from other methods, and their texts."""
    texts: Mapping[str, Any] = vars(distributions)
    own = texts.get(f"{name}_{method}")
    if own is not None:
        return own, ()
    for methods, derive in distributions.DERIVED.get(method, ()):
        if all(f"{name}_{m}" in texts for m in methods):
            how: Any = derive  # a plain function
            return how, tuple(texts[f"{name}_{m}"] for m in methods)
    return None


def _value(call: Call, value: Any) -> Value:
    return value if isinstance(value, Node) else call.tracer.constant(value, call.node)


def _first(call: Call, named: dict[str, Value]) -> Value:
    for name in _FIRST:
        if name in named:
            return named.pop(name)
    call.refuse("a method of a distribution takes a number", "give x, k or q")


def _parameters(
    call: Call, fn: FunctionType, args: list[Value], kwargs: dict[str, Value]
) -> list[Value]:
    """Return the shapes in their order, location and scale."""
    names = [*list(inspect.signature(fn).parameters)[1:], "loc", "scale"]
    values = dict(zip(names, args, strict=False)) | kwargs
    unknown = [k for k in values if k not in names]
    missing = [n for n in names[:-2] if n not in values]
    if unknown or missing or len(args) > len(names):
        which = f"; {missing[0]} is missing" if missing else ""
        what = f"the distribution takes {', '.join(names)}{which}"
        call.refuse(what, "give its shapes, then loc and scale")
    values.setdefault("loc", call.graph.const(0.0))
    values.setdefault("scale", call.graph.const(1.0))
    return [values[n] for n in names]
