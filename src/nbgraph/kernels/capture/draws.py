"""Random draws in a scalar function: `random.gauss(0, 1)`, `rng.normal()`, `ng.random.normal()`.

Each element has a word of 64 random bits, the operand `key`, which a call draws from the library's
stream (`nbgraph.resource.random`). The first draw of a text is made of that word; the others of the
words of NumPy's Philox with the word for its key. A draw is identified by its place in the text,
not by its order, so a draw under an `if` that is not taken changes no other one; a place that is
visited again, in a loop, has a sequence of its own.

The words are computed by arithmetic of integers below 2**64, which has no derivative.
"""

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from nbgraph.kernels.capture import refusals
from nbgraph.kernels.capture.containers import List
from nbgraph.kernels.capture.context import Call, Method, Tracer
from nbgraph.kernels.capture.environment import HEAP
from nbgraph.kernels.capture.library import distributions
from nbgraph.kernels.capture.library.random_draws import (
    OF_CLASSES,
    WHOLE,
    block,
    class_of,
    philox,
    refused,
    word_of,
)
from nbgraph.kernels.capture.library.random_draws import bits as word_of_place
from nbgraph.kernels.capture.names import Watch, is_own_text
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Env, Graph, Node, Static, Value, is_none
from nbgraph.kernels.scalar.transplant import Transplant

KEY, WORD = "key", "uint64"  # the operand that holds the words, and its kind
MOST = 8  # draws of a loop that is written out
# a call in the text: file, line and column of it and of the calls that lead there
Place = tuple[tuple[str, int, int], ...]


def text_of(target: object) -> Any:
    """Return the text of a method or function that draws; None for other objects."""
    owner = getattr(target, "__self__", None)
    place = getattr(target, "__module__", None) if owner is None else class_of(owner)
    texts = OF_CLASSES.get(str(place))
    return None if texts is None else texts.get(getattr(target, "__name__", ""))


def counts(graph: Graph, places: tuple[Place, ...]) -> Env:
    """Return the counters of visits of each place, at the beginning of a text."""
    graph.draws.update((place, number) for number, place in enumerate(places))
    return {_count(number): List((graph.const(0),)) for number in range(len(places))}


def draw(call: Call) -> Value | None:
    """Return the value of a call that draws, None for other functions."""
    tracer = call.tracer
    if call.target is word_of_place:
        return bits(tracer, call.path)
    if call.target is block:
        return _block(tracer, call.args)
    fn = text_of(call.target)
    if fn is None:
        if refused(call.target):
            call.refuse(f"{call.name}() cannot be drawn here", refusals.function(call.target))
        return None
    args = [tracer.read(call.node, value, tracer.frame) for value in call.args]
    kwargs = {k: tracer.read(call.node, value, tracer.frame) for k, value in call.kwargs.items()}
    values = call.of(fn, *args, **kwargs).in_order(fn)
    names = fn.__code__.co_varnames
    for name, value in zip(names, values, strict=False):
        if name == "size" and not is_none(value):
            what = f"{call.name}() draws one number for each element here"
            call.refuse(what, "leave the size out; draw several numbers in a loop")
    if fn in WHOLE and any(isinstance(v, Node) and v.kind == "f" for v in values):
        what = f"{call.name}() takes integers, here it has a floating value"
        call.refuse(what, "give integers, e.g. int(n)", KindError)
    return tracer.compose(fn, values, call.path)


def bits(tracer: Tracer, path: Node) -> Node:
    """Return 64 random bits, which depend on the place and on the number of earlier visits."""
    graph = tracer.graph
    place, word = tuple(_calls(tracer)), graph.argument(KEY, WORD)
    if place not in graph.draws:  # the text is traced again with it: see WrittenFunction
        graph.draws[place] = len(graph.draws)
        return word
    number = graph.draws[place]
    name, visit = _count(number), graph.const(0)
    around: Tracer | None = tracer
    while around is not None and name not in around.frame:
        around = around.caller
    if around is not None:
        (visit,) = around.frame[name]
        around.frame[name] = List((graph.arithmetic("add", visit, graph.const(1)),))
    drawn: Node = tracer.compose(word_of, [word, graph.const(number), visit], path)
    return drawn


def _block(tracer: Tracer, values: Sequence[Value]) -> tuple[Node, ...]:
    """Return four words of Philox: its graph of 400 nodes is traced once and copied here."""
    source, leaves, words = _philox(type(tracer))
    move = Transplant(source, tracer.graph, {a.id: b for a, b in zip(leaves, values, strict=True)})
    return tuple(map(move, words))


@functools.cache
def _philox(kind: Any) -> tuple[Graph, list[Node], tuple[Node, ...]]:
    """Return the graph of Philox, its operands and its results."""
    graph = Graph()
    operands = {name: graph.argument(name, WORD) for name in ("key", "first", "second")}
    words = kind(graph, philox, Watch()).run({**operands}, graph.const(True))
    return graph, [*operands.values()], words


def are_many(tracer: Tracer, loop: ast.For, trips: int) -> bool:
    """Return whether a loop has too many draws (of 400 operations each) to be written out."""
    text = tracer.text
    lines = range(text.line_of(loop), text.first_line + (loop.end_lineno or loop.lineno) + 1)
    inside = [
        any(name == text.filename and line in lines for name, line, _ in place)
        for place in tracer.graph.draws
    ]
    return sum(inside) * trips > MOST


def _count(number: int) -> str:
    return f"{HEAP}draws.{number}"


def _calls(tracer: Tracer | None) -> Iterator[tuple[str, int, int]]:
    """Yield the user's places in the text, from the innermost call outwards."""
    while tracer is not None:
        if not is_own_text(tracer.fn) and tracer.site is not None:
            text, node = tracer.text, tracer.site
            line, column = text.line_of(node), getattr(node, "col_offset", 0)
            real = linecache.getline(text.filename, line).rstrip("\n")
            own = text.source.splitlines()[getattr(node, "lineno", 1) - 1 :][:1]
            shift = len(real) - len(own[0]) if own and real.endswith(own[0]) else 0
            yield text.filename, line, column + shift
        tracer = tracer.caller


_NORMAL = {"pdf": "pdf", "cdf": "cdf", "inv_cdf": "ppf"}  # of statistics.NormalDist
_RENAMED = {"mu": "loc", "sigma": "scale"}
_FIRST = ("x", "k", "q", "p")  # names of the first argument in methods


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
    """Return whether `kind` is `statistics.NormalDist`, without importing it."""
    return (kind.__module__, kind.__qualname__) == ("statistics", "NormalDist")


def method_of(value: object, name: str) -> Method | None:
    """Return the method `name` of an object that stands for a distribution, else None."""
    owner = distribution_of(value)
    if owner is None:
        return None
    if owner.methods == "statistics":
        return Method(owner, _NORMAL[name], _of_method) if name in _NORMAL else None
    return Method(owner, name, _of_method) if name in distributions.SHIFTED else None


def distribution(call: Call) -> Value | None:
    """Return a distribution with its parameters, or the value of a method of one; else None."""
    target = call.target
    if isinstance(target, MethodType):
        target = method_of(target.__self__, target.__name__)
    if isinstance(target, Method):
        return target.call(call, target.owner, target.name)
    owner = distribution_of(target)
    if owner is None:
        return None
    if owner.args or owner.kwargs:
        call.refuse(f"{owner.name} has its parameters already", "call one of its methods")
    return Static(owner._replace(args=tuple(call.args), kwargs=tuple(call.kwargs.items())))


def _of_method(call: Call, owner: Distribution, name: str) -> Value:
    """Return the value of a distribution's method, by its text."""
    text, call = _text_of(owner.name, name), call.deep()
    if text is None:
        have = [m for m in distributions.SHIFTED if _text_of(owner.name, m) is not None]
        what = f"{owner.name}.{name}() is not known to scalar functions"
        call.refuse(what, f"use {', '.join(have)}")
    fn, bases = text
    first = [_number_of(call, a) for a in owner.args]
    named = {k: _number_of(call, v) for k, v in owner.kwargs} | dict(call.kwargs)
    named = {_RENAMED.get(k, k): v for k, v in named.items()}
    x, rest = (call.args[0], call.args[1:]) if call.args else (_first_argument(call, named), [])
    *shapes, loc, scale = _parameters(call, bases[0] if bases else fn, [*first, *rest], named)
    if any(isinstance(v, (tuple, Static)) for v in (x, *shapes, loc, scale)):
        call.refuse("the arguments are not all numbers", "give numbers")
    shift = distributions.SHIFTED[name]
    inner = (*map(Static, bases), tuple(shapes)) if bases else tuple(shapes)
    return call.tracer.compose(shift, [Static(fn), x, inner, loc, scale], call.path)


def _text_of(name: str, method: str) -> tuple[FunctionType, tuple[FunctionType, ...]] | None:
    """Return a method's text; or a text that derives it from other methods, and their texts."""
    texts: Mapping[str, Any] = vars(distributions)
    own = texts.get(f"{name}_{method}")
    if own is not None:
        return own, ()
    for methods, derive in distributions.DERIVED.get(method, ()):
        if all(f"{name}_{m}" in texts for m in methods):
            how: Any = derive  # a plain function
            return how, tuple(texts[f"{name}_{m}"] for m in methods)
    return None


def _number_of(call: Call, value: Any) -> Value:
    return value if isinstance(value, Node) else call.tracer.constant(value, call.node)


def _first_argument(call: Call, named: dict[str, Value]) -> Value:
    for name in _FIRST:
        if name in named:
            return named.pop(name)
    call.refuse("a method of a distribution takes a number", "give x, k or q")


def _parameters(
    call: Call, fn: FunctionType, args: list[Value], kwargs: dict[str, Value]
) -> list[Value]:
    """Return the shape parameters in order, then location and scale."""
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
