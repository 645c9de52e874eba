"""A graph as a table: a row for each node, totals below."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.graph.arguments import typed
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph
from nbgraph.picture import columns, html_table
from nbgraph.signatures import checked

_HEAD = ("name", "operator", "output", "dtype", "parameters", "bytes", "previous")


@dataclass(frozen=True, slots=True)
class Row:
    """A row for a node: output, elements of the parameters that it reads, bytes, operands."""

    name: str
    operator: str
    shape: tuple[int, ...]
    dtype: str
    parameters: int
    nbytes: int
    previous: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        shape = "x".join(map(str, self.shape)) or "scalar"
        numbers = f"{self.parameters:,}", f"{self.nbytes:,}"
        return (self.name, self.operator, shape, self.dtype, *numbers, ", ".join(self.previous))


class Summary:
    """The result of `ng.print_summary`: printed or displayed, a table; `rows` and totals as data.

    `parameters`: elements of all variables that are not inputs; `nbytes`: of all results of
    operators, were each in memory of its own; `parameter_bytes`.
    """

    def __init__(self, rows: Sequence[Row], parameters: int, parameter_bytes: int) -> None:
        self.rows = tuple(rows)
        self.parameters, self.parameter_bytes = parameters, parameter_bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all results of operators."""
        return sum(row.nbytes for row in self.rows if row.operator)

    def to_dict(self) -> dict[str, Any]:
        """Return rows and totals as plain values."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "parameters": self.parameters,
            "parameter_bytes": self.parameter_bytes,
            "bytes": self.nbytes,
        }

    def _totals(self) -> str:
        return (
            f"{self.parameters:,} parameters in {self.parameter_bytes:,} bytes; results of "
            f"operators: {self.nbytes:,} bytes, each in memory of its own"
        )

    def __str__(self) -> str:
        return f"{columns([_HEAD, *(row.cells() for row in self.rows)])}\n{self._totals()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = html_table(_HEAD, [row.cells() for row in self.rows])
        return f"{table}<div>{self._totals()}</div>"


@checked
def print_summary(symbol: Any, shapes: Mapping[str, Any] | None = None, **unknown: Any) -> Summary:
    """Return a table of a symbol's nodes: name, operator, shape and dtype of the output, parameters
    read, bytes, previous nodes. A notebook shows it, `print` prints it.

    Parameters
    ----------
    symbol : Symbol or Executor
    shapes : dict from names to shapes, optional
        Those of inputs: the variables named here, and labels, which are known by their names. All
        others are parameters, whose shapes are inferred; ShapeError where they cannot be.

    Raises ArgumentError for other arguments.

    >>> import nbgraph as ng
    >>> x, w = ng.var("x"), ng.var("w", shape=(3, 4))
    >>> print(ng.print_summary(ng.tanh(x @ w), {"x": (2, 3)}))
    name     operator  output  dtype    parameters  bytes  previous
    x                  2x3     float32  0           24
    w                  3x4     float32  12          48
    matmul0  matmul    2x4     float32  12          32     x, w
    tanh0    tanh      2x4     float32  0           32     matmul0
    12 parameters in 48 bytes; results of operators: 64 bytes, each in memory of its own
    """
    _require_graph(symbol, shapes, unknown)
    known = dict(shapes or {})
    graph = typed(symbol.graph, known, {})
    sizes = {v: 0 if v.name in known or _is_label(v.name) else _count(v) for v in graph.variables}
    total = sum(_bytes(v) for v in graph.variables if sizes[v])
    return Summary(_rows(graph, sizes), sum(sizes.values()), total)


def _is_label(name: str | None) -> bool:
    return name == "label" or str(name).endswith("_label")


def _require_graph(symbol: Any, shapes: Any, unknown: Mapping[str, Any]) -> None:
    if unknown:
        raise ArgumentError(
            f"print_summary: there is no argument {min(unknown)!r}; shapes of inputs are given as "
            "shapes={'x': (2, 3)}"
        )
    if not isinstance(getattr(symbol, "graph", None), Graph):
        raise ArgumentError(
            f"print_summary: symbol is {noun(symbol)}; give a symbol or an executor"
        )
    if not (shapes is None or isinstance(shapes, Mapping)):
        raise ArgumentError(
            f"print_summary: shapes={shapes!r}; give a dict from names to shapes, as "
            "shapes={'x': (2, 3)}"
        )


def _rows(graph: Graph, sizes: Mapping[GraphNode, int]) -> list[Row]:
    names = graph.names
    rows: list[Row] = []
    for node in graph.nodes:
        assert node.specs is not None, f"{node!r} has no shapes"
        before = list(dict.fromkeys(n for n, _ in node.entries))
        parameters = sizes[node] if node.op is None else sum(sizes.get(n, 0) for n in before)
        spec = node.specs[0]
        rows.append(
            Row(
                names[node],
                "" if node.op is None else node.op.__name__,
                spec.shape,
                str(spec.dtype),
                parameters,
                _bytes(node),
                tuple(names[n] for n in before),
            )
        )
    return rows


def _count(node: GraphNode) -> int:
    return sum(math.prod(s.shape) for s in node.specs or ())


def _bytes(node: GraphNode) -> int:
    return sum(s.nbytes for s in node.specs or ())
