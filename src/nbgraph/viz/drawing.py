"""Pictures of graphs: SVG of boxes in layers, without other packages.

>>> import nbgraph as ng
>>> x = ng.var("x", shape=(3,))
>>> picture = draw(ng.sum(x * x))
>>> picture.svg[:4], [box.name for box in picture.boxes]
('<svg', ['x', 'multiply0', 'sum0'])
"""

import html
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.graph.graph import Graph
from nbgraph.graph.symbol import Symbol
from nbgraph.picture import document, text_at
from nbgraph.viz.boxes import MOST, Box, cut, of_expressions, of_graph
from nbgraph.viz.layers import Layered, layered

# Okabe and Ito's colours, as in `picture`, and grey.
COLOURS = {
    "variable": "#0072B2",
    "constant": "#999999",
    "mapper": "#009E73",
    "fused": "#E69F00",
    "reduction": "#D55E00",
    "view": "#56B4E9",
    "array operator": "#CC79A7",
    "effect": "#F0E442",
    "note": "none",
}
_LINE = 14  # pixels from line to line
_LAYER = 34  # pixels between layers
_LETTER = 6.2
_MARGIN = 8.0
_BENT = 14.0  # pixels over which an edge turns


class Picture:
    """A graph as boxes: displayed as SVG, printed as a listing.

    `boxes` are what is shown; `save(path)` writes the SVG, `dot()` gives Graphviz's language.
    """

    def __init__(self, boxes: Sequence[Box], text: str = "", *, title: str = "graph") -> None:
        self.boxes, self.title, self._text = cut(boxes, MOST), title, text
        self._whole = boxes

    @cached_property
    def svg(self) -> str:
        """The picture as SVG; equal graphs have equal texts."""
        return _svg(self.boxes, self.title)

    def to_dict(self) -> dict[str, Any]:
        """Return title and boxes as plain values."""
        return {"title": self.title, "boxes": [box.to_dict() for box in self.boxes]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def dot(self) -> str:
        """Return the graph in Graphviz's language, with all nodes."""
        return _dot(self._whole)

    def __str__(self) -> str:
        return self._text or "\n".join(f"{b.name}: {', '.join(b.lines)}" for b in self.boxes)

    def __repr__(self) -> str:
        return f"<picture of {self.title}: {len(self.boxes)} box(es)>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto;max-height:80vh">{self.svg}</div>'


def draw(what: Any, program: str | None = None) -> Picture:
    """Return the picture of a Symbol, a Graph, an Executor, an Expr or an ExpressionGraph.

    Boxes are coloured by the kind of operation; recomputed nodes are dashed, results have a
    thick edge. Of more than 400 nodes the first and last 200 are shown.

    `program`: of an executor the program to draw, after all passes: "forward", "forward, training",
    "backward" or "forward_backward"; by default the last one that was created, or, before anything
    has run, the graph as it was bound. Raises ArgumentError for other objects.
    """
    if program is not None and not hasattr(what, "programs"):
        raise ArgumentError(
            f"viz.graph: program={program!r} is for executors, not for {noun(what)}; leave it out"
        )
    if isinstance(what, Symbol):
        return Picture(of_graph(what.graph), str(what.graph), title=", ".join(what.list_outputs()))
    if isinstance(what, Graph):
        return Picture(of_graph(what), str(what))
    if hasattr(what, "programs"):
        return _of_executor(what, program)
    nodes = _expressions(what)
    if nodes is not None:
        return Picture(of_expressions(nodes), title="expression graph")
    raise ArgumentError(
        f"viz.graph: there is no picture of {noun(what)}; give a Symbol, a Graph, an "
        "Executor, an Expr or an ExpressionGraph"
    )


def _of_executor(executor: Any, program: str | None) -> Picture:
    programs = executor.programs()
    if program is not None and program not in programs:
        raise ArgumentError(
            f"viz.graph: program={program!r} has not been made; there are: "
            f"{', '.join(programs) or 'none, as nothing has run'}"
        )
    marks = executor.gradient_marks()
    if not programs:
        graph, title = executor.graph, "graph as bound"
    else:
        title = program or list(programs)[-1]
        graph = programs[title].compiled.graph
    return Picture(of_graph(graph, marks), str(graph), title=title)


def _expressions(what: Any) -> list[Any] | None:
    """Return the nodes of an expression graph or of an expression, children first, or None."""
    tops = getattr(what, "_nodes", None)
    if tops is None:
        node = getattr(what, "node", None)
        tops = None if node is None or not hasattr(node, "children") else [node]
    if tops is None:
        return None
    nodes: dict[int, Any] = {}
    stack = [(node, False) for node in reversed(tops)]
    while stack:
        node, entered = stack.pop()
        if entered:
            nodes.setdefault(id(node), node)
        elif id(node) not in nodes:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.children)]
    return list(nodes.values())


# SVG --------------------------------------------------------------------------------------------


def _svg(boxes: Sequence[Box], title: str) -> str:
    edges = list(dict.fromkeys((k, i) for i, b in enumerate(boxes) for k, _ in b.reads))
    waits = [(k, i) for i, b in enumerate(boxes) for k in b.after if (k, i) not in edges]
    widths = [2 * _MARGIN + _LETTER * max(len(line) for line in _lines(b)) for b in boxes]
    places = layered(len(boxes), edges + waits, widths)
    frame = _Frame(boxes, places)
    parts = [
        frame.edge(edge, bends, dotted=k >= len(edges))
        for k, (edge, bends) in enumerate(zip(edges + waits, places.bends, strict=True))
    ]
    parts += [part for k, w in enumerate(widths) for part in frame.box(k, w)]
    legend = list(dict.fromkeys(box.family for box in boxes if box.family != "note"))
    parts += _legend(legend, frame.bottom)
    wide = max(places.width, sum(_LETTER * len(f) + 28 for f in legend))
    return document(parts, wide + 2 * _MARGIN, frame.bottom + 24, title)


def _lines(box: Box) -> tuple[str, ...]:
    return (*box.lines, *([", ".join(box.marks)] if box.marks else ()))


class _Frame:
    """The conversion of layers to pixels."""

    def __init__(self, boxes: Sequence[Box], places: Layered) -> None:
        self.boxes, self.places = boxes, places
        self.tall = [_LINE * len(_lines(box)) + 6.0 for box in boxes]
        rows = max(places.layer, default=-1) + 1
        high = [0.0] * rows
        for k, depth in enumerate(places.layer):
            high[depth] = max(high[depth], self.tall[k])
        self.top = [_MARGIN + sum(high[:d]) + d * _LAYER for d in range(rows)]
        self.high = high
        self.bottom = self.top[-1] + high[-1] + _MARGIN if rows else _MARGIN

    def box(self, k: int, width: float) -> Iterator[str]:
        """Yield the SVG of a box: a rectangle with its lines."""
        box, x, y = self.boxes[k], self.places.x[k] + _MARGIN, self.top[self.places.layer[k]]
        colour = COLOURS[box.family]
        dash = ' stroke-dasharray="5 3"' if box.again or box.family == "note" else ""
        thick = 2.5 if "result" in box.marks else 1
        yield (
            f'<g><title>{html.escape(box.hint)}</title><rect x="{x - width / 2:.1f}" y="{y:.1f}" '
            f'width="{width:.1f}" height="{self.tall[k]:.1f}" rx="4" fill="{colour}" '
            f'fill-opacity="0.22" stroke="{colour if box.family != "note" else "currentColor"}" '
            f'stroke-width="{thick}"{dash}/>'
        )
        for i, line in enumerate(_lines(box)):
            yield text_at(x, y + 13 + _LINE * i, line)
        yield "</g>"

    def edge(self, edge: tuple[int, int], bends: list[tuple[int, float]], *, dotted: bool) -> str:
        """Return the SVG of an edge: a line through its bends, with an arrowhead."""
        a, b = edge
        x, layer = self.places.x, self.places.layer
        at, level = x[a] + _MARGIN, self.top[layer[a]] + self.tall[a]
        path = [f"M{at:.1f} {level:.1f}"]
        for depth, across in [*bends, (layer[b], x[b])]:
            end, over = self.top[depth], across + _MARGIN
            middle = (level + end) / 2 if end - level < 4 * _BENT else end - 2 * _BENT
            path.append(f"C{at:.1f} {middle:.1f} {over:.1f} {middle:.1f} {over:.1f} {end:.1f}")
            at, level = over, end
            if depth != layer[b]:
                level = end + self.high[depth]
                path.append(f"V{level:.1f}")
        which = sorted({text for k, text in self.boxes[b].reads if k == a and text})
        label = text_at(at + 4, level - 5, "".join(which), "start") if which else ""
        dash = ' stroke-dasharray="2 3"' if dotted else ""
        return (
            f'<path d="{" ".join(path)}" fill="none" stroke="currentColor" stroke-opacity="0.55"'
            f'{dash}/><path d="M{at - 3:.1f} {level - 6:.1f}L{at:.1f} {level:.1f}L{at + 3:.1f} '
            f'{level - 6:.1f}Z" fill="currentColor" fill-opacity="0.55"/>{label}'
        )


def _legend(families: Sequence[str], y: float) -> Iterator[str]:
    x = _MARGIN
    for family in families:
        yield (
            f'<rect x="{x:.1f}" y="{y + 4:.1f}" width="10" height="10" rx="2" '
            f'fill="{COLOURS[family]}" fill-opacity="0.4" stroke="{COLOURS[family]}"/>'
        )
        yield text_at(x + 14, y + 13, family, "start")
        x += 28 + _LETTER * len(family)


# Graphviz ---------------------------------------------------------------------------------------


def _dot(boxes: Sequence[Box]) -> str:
    lines = ["digraph graph_ {", "  node [shape=box, style=filled]"]
    for k, box in enumerate(boxes):
        text = "\\n".join(line.replace("\\", "").replace('"', "'") for line in _lines(box))
        colour = "white" if box.family == "note" else COLOURS[box.family] + "38"
        style = ', style="filled,dashed"' if box.again else ""
        wide = ", penwidth=2.5" if "result" in box.marks else ""
        lines.append(f'  n{k} [label="{text}", fillcolor="{colour}"{style}{wide}]')
        lines += [f"  n{other} -> n{k}" for other, _ in box.reads]
        lines += [f"  n{other} -> n{k} [style=dotted]" for other in box.after]
    return "\n".join([*lines, "}", ""])
