"""Random draws in a scalar function: `random.gauss(0, 1)`, `rng.normal()`, `ng.random.normal()`.

Each element has a word of 64 random bits, the operand `key`, which a call draws from the library's
stream (`nbgraph.resource.random`). The first draw of a text is made of that word; the others of the
words of NumPy's Philox with the word for its key. Draws are told apart by their place in the text,
not by their order, so one under an `if` that is not taken changes no other; a place that is met
again, in a loop, goes on in a sequence of its own.

All is arithmetic of integers below 2**64, which no derivative passes.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator, Sequence
from typing import Any

from nbgraph.kernels.capture import refusals
from nbgraph.kernels.capture.containers import List
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import HELD
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
from nbgraph.kernels.capture.values import Env, Graph, Node, Value, is_none
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
    """How often each place was met, at the beginning of a text."""
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
        what = f"{call.name}() takes integers, here it was given a floating value"
        call.refuse(what, "give integers, e.g. int(n)", KindError)
    return tracer.compose(fn, values, call.path)


def bits(tracer: Tracer, path: Node) -> Node:
    """64 random bits: those of this place, and of how often it was met before."""
    graph = tracer.graph
    place, word = tuple(_calls(tracer)), graph.argument(KEY, WORD)
    if place not in graph.draws:  # the text is traced again: see WrittenFunction
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
    """Four words of Philox: its 400 nodes are traced once, and moved to where they are needed."""
    source, leaves, words = _philox(type(tracer))
    move = Transplant(source, tracer.graph, {a.id: b for a, b in zip(leaves, values, strict=True)})
    return tuple(map(move, words))


@functools.cache
def _philox(kind: Any) -> tuple[Graph, list[Node], tuple[Node, ...]]:
    """Return the graph of Philox: its operands and its words."""
    graph = Graph()
    operands = {name: graph.argument(name, WORD) for name in ("key", "first", "second")}
    words = kind(graph, philox, Watch()).run({**operands}, graph.const(True))
    return graph, [*operands.values()], words


def are_many(tracer: Tracer, loop: ast.For, trips: int) -> bool:
    """Return whether a loop draws so often that it is not written out: a draw is 400 operations."""
    text = tracer.text
    lines = range(text.line_of(loop), text.first_line + (loop.end_lineno or loop.lineno) + 1)
    inside = [
        any(name == text.filename and line in lines for name, line, _ in place)
        for place in tracer.graph.draws
    ]
    return sum(inside) * trips > MOST


def _count(number: int) -> str:
    return f"{HELD}draws.{number}"


def _calls(tracer: Tracer | None) -> Iterator[tuple[str, int, int]]:
    """Where the text is, through all calls; those inside the library's own texts do not count."""
    while tracer is not None:
        if not is_own_text(tracer.fn) and tracer.site is not None:
            text, node = tracer.text, tracer.site
            line, column = text.line_of(node), getattr(node, "col_offset", 0)
            real = linecache.getline(text.filename, line).rstrip("\n")
            own = text.source.splitlines()[getattr(node, "lineno", 1) - 1 :][:1]
            shift = len(real) - len(own[0]) if own and real.endswith(own[0]) else 0
            yield text.filename, line, column + shift
        tracer = tracer.caller
