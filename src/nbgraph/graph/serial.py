"""Graphs in JSON: nodes in topological order, and the operators and arrays they refer to.

{"format": "nbgraph symbol", "version": 1, "written_by": "nbgraph 0.1",
 "operators": [recipe, ...], "arrays": [{dtype, shape, digest, base64}, ...],
 "nodes": [{op, inputs, attributes, name, scope, marks, token, after}, ...], "heads": [[0, 0]]}

`op` is the number of a recipe, None for a variable; an input is `[node, output]` or a number; keys
of a node without a value are omitted. Tokens are numbered in order: nodes with effects stay
distinct from equal-looking ones, and each reading creates new effects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph._version import __version__
from nbgraph.errors import ArgumentError, FormatError, NbgraphError
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.graph import Entry
from nbgraph.graph.node import topological
from nbgraph.graph.recipe_reader import RecipeReader, Trust
from nbgraph.graph.recipes import RecipeWriter
from nbgraph.graph.values import Json
from nbgraph.operator.mapper.mapper import Mapper

FORMAT = "nbgraph symbol"
VERSION = 1


# writing ----------------------------------------------------------------------------------------

# exceptions raised while reading a damaged text
_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


class GraphWriter:
    """A writer of nodes to JSON."""

    def __init__(self, objects: list[Any] | None = None) -> None:
        self._recipes = RecipeWriter(objects, lambda heads: GraphWriter(objects).form(heads))
        self._places: dict[GraphNode, int] = {}
        self._tokens: dict[Any, int] = {}

    def form(self, heads: Sequence[Entry]) -> Json:
        """Return the JSON of all nodes that the heads depend on."""
        nodes: list[Json] = []
        for node in topological([node for node, _ in heads]):
            self._places[node] = len(nodes)
            nodes.append(self._node(node))
        return {
            "format": FORMAT,
            "version": VERSION,
            "written_by": f"nbgraph {__version__}",
            "operators": self._recipes.recipes,
            "arrays": self._recipes.values.arrays,
            "nodes": nodes,
            "heads": [[self._places[node], i] for node, i in heads],
        }

    def _node(self, node: GraphNode) -> Json:
        entry = {
            "op": None if node.op is None else self._recipes.number(node.op),
            "inputs": [self._operand(operand) for operand in node.inputs],
            "attributes": self._values(node, node.attributes),
            "name": node.name,
            "scope": node.scope,
            "marks": self._values(node, node.marks),
            "token": self._token(node.token),
            "after": [self._places[other] for other in node.after],
        }
        return {key: value for key, value in entry.items() if value or key == "op"}

    def _operand(self, operand: Operand) -> Json:
        if type(operand) is tuple:
            return [self._places[operand[0]], operand[1]]
        return self._recipes.values.value(operand)

    def _values(self, node: GraphNode, values: Mapping[str, Any]) -> Json:
        written: dict[str, Json] = {}
        for key, value in values.items():
            try:
                written[key] = self._recipes.values.value(value)
            except ArgumentError as error:
                what = "variable" if node.op is None else "node"
                raise ArgumentError(f"{what} {node.label!r}: {key}: {error}") from None
        return written

    def _token(self, token: Any) -> Json:
        """Return a token as its kind and a number, or its kind and the tokens it consists of."""
        if token is None:
            return None
        kind, *rest = token
        if len(rest) == 1 and type(rest[0]) is int:
            return [kind, self._tokens.setdefault(token, len(self._tokens))]
        return [kind, *map(self._token, rest)]


def to_text(heads: Sequence[Entry], objects: list[Any] | None = None) -> str:
    """Return the JSON text of all nodes that the heads depend on.

    Values that JSON cannot hold are appended to `objects`; without it they raise ArgumentError.
    """
    return json.dumps(GraphWriter(objects).form(heads), allow_nan=False, separators=(",", ":"))


# reading ----------------------------------------------------------------------------------------


class GraphReader:
    """A reader of nodes from JSON; nodes equal to existing ones are these."""

    def __init__(self, form: Json, where: str, trust: Trust, objects: Sequence[Any]) -> None:
        self._where = where

        def body(inner: Json) -> list[Entry]:
            reader = GraphReader(inner, where, trust, objects)
            reader.nodes(inner["nodes"])
            return [reader.entry(head) for head in inner["heads"]]

        self._recipes = RecipeReader(form["operators"], form["arrays"], trust, where, objects, body)
        self._nodes: list[GraphNode] = []
        self._tokens: dict[tuple[str, int], Any] = {}

    def nodes(self, entries: Sequence[Json]) -> None:
        """Read all nodes in order."""
        for place, node in enumerate(entries):
            try:
                self._nodes.append(self._node(node))
            except NbgraphError as error:
                error.add_note(f"{self._where}: at node {place}")
                raise
            except _DAMAGED as error:
                raise FormatError(
                    f"{self._where}: node {place} is damaged ({type(error).__name__}: {error}); "
                    "write it again"
                ) from None

    def _node(self, entry: Json) -> GraphNode:
        value = self._recipes.values.value
        attributes = {key: value(v) for key, v in entry.get("attributes", {}).items()}
        marks = {key: value(v) for key, v in entry.get("marks", {}).items()}
        name: str | None = entry.get("name")
        if entry["op"] is None:
            if not isinstance(name, str):
                raise FormatError(f"{self._where}: a variable has no name; it is damaged")
            return build.variable(name, attributes.get("shape"), attributes.get("dtype"), marks)
        op = self._recipes.operator(entry["op"])
        inputs = [self._operand(v) for v in entry.get("inputs", ())]
        if len(inputs) < op.nin or (isinstance(op, Mapper) and len(inputs) > op.nin):
            raise FormatError(
                f"{self._where}: {op.__name__} takes {op.nin} operand(s), {len(inputs)} stand there"
            )
        return build.apply(
            op,
            inputs,
            attributes,
            token=self._token(entry.get("token")),
            after=tuple([self._earlier(k) for k in entry.get("after", ())]),
            name=name,
            marks=marks,
            scope=entry.get("scope", ""),
        )

    def _operand(self, value: Json) -> Operand:
        return self.entry(value) if type(value) is list else self._recipes.values.value(value)

    def _earlier(self, place: Any) -> GraphNode:
        if type(place) is not int or not 0 <= place < len(self._nodes):
            raise FormatError(f"{self._where}: {place!r} is not an earlier node; it is damaged")
        return self._nodes[place]

    def entry(self, pair: Json) -> Entry:
        """Return an output of a node."""
        place, index = pair
        node = self._earlier(place)
        if type(index) is not int or not 0 <= index < node.nout:
            raise FormatError(f"{self._where}: node {place} has no output {index!r}; it is damaged")
        return node, index

    def _token(self, value: Json) -> Any:
        if value is None:
            return None
        kind, *rest = value
        if len(rest) == 1 and type(rest[0]) is int:
            key = kind, rest[0]
            if key not in self._tokens:
                self._tokens[key] = build.new_token(kind)
            return self._tokens[key]
        return (kind, *map(self._token, rest))


def from_text(
    text: str | bytes, where: str, trust: Trust, objects: Sequence[Any] = ()
) -> tuple[Entry, ...]:
    """Return the heads from a text of `to_text`.

    Raises FormatError if the text is damaged or of another format, ArgumentError if an operator is
    missing or differs; `where` begins the messages.
    """
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{where}: this is not JSON ({error}); give what Symbol.tojson or Symbol.save wrote"
        ) from None
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise FormatError(
            f"{where}: this JSON holds no symbol; give what Symbol.tojson or Symbol.save wrote"
        )
    if form.get("version") != VERSION:
        raise FormatError(
            f"{where}: the symbol has version {form.get('version')!r}, this nbgraph reads "
            f"{VERSION}; install a newer one"
        )
    try:
        reader = GraphReader(form, where, trust, objects)
        reader.nodes(form["nodes"])
        return tuple([reader.entry(head) for head in form["heads"]])
    except NbgraphError:
        raise
    except _DAMAGED as error:
        raise FormatError(
            f"{where}: the text is damaged ({type(error).__name__}: {error}); write it again"
        ) from None
