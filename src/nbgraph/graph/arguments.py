"""Parts of a symbol: names of arguments and outputs, attributes, and inferred shapes and dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.graph import build, naming
from nbgraph.graph.build import GraphNode, PartialShape, as_partial, variable_dtype
from nbgraph.graph.composite import CompositeOp, resolved
from nbgraph.graph.graph import Entry, Graph, with_names, with_variables
from nbgraph.operator.arrays.array_op import FilledOp, visible_of
from nbgraph.operator.deferred import Slot
from nbgraph.operator.expected import EXPECTED
from nbgraph.settings import config
from nbgraph.shape import partial_text

if TYPE_CHECKING:
    from nbgraph.graph.symbol import Symbol

Shapes = list[PartialShape] | None
_BOTH_WAYS = (CompositeOp, FilledOp)  # operators that may need backward inference of shapes


def auxiliary_variables(graph: Graph) -> list[GraphNode]:
    """Return the variables that an operator writes: states, which have no gradient."""
    states: dict[GraphNode, None] = {}
    for node in graph.nodes:
        names = getattr(node.op, "auxiliary", ())
        operands = getattr(node.op, "operands", ())
        for name, operand in zip(operands, node.inputs, strict=False):
            if name in names and type(operand) is tuple and operand[0].op is None:
                states[operand[0]] = None
    return [v for v in graph.variables if v in states]


class Arguments:
    """The part of `Symbol` that lists its arguments, outputs, attributes, shapes and dtypes."""

    __slots__ = ()

    entries: tuple[Entry, ...]

    @property
    def graph(self) -> Graph:
        """The graph whose heads are the symbol's outputs."""
        return Graph(self.entries)

    # names ------------------------------------------------------------------------------------

    def list_arguments(self) -> list[str]:
        """Return the names of the variables, in the order of the graph, without states."""
        graph = self.graph
        states = set(auxiliary_variables(graph))
        return [graph.names[v] for v in graph.variables if v not in states]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, including states."""
        graph = self.graph
        return [graph.names[v] for v in graph.variables]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the variables that operators write, such as moving means."""
        graph = self.graph
        return [graph.names[v] for v in auxiliary_variables(graph)]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        names = self.graph.names
        return [naming.output_name(node, i, names[node]) for node, i in self.entries]

    def get_internals(self) -> Symbol:
        """Return all outputs of all nodes as a group, operands first; not hidden ones.

        >>> import nbgraph as ng
        >>> ng.sum(ng.sin(ng.var("x"))).get_internals().list_outputs()
        ['x', 'sin0_output', 'sum0_output']
        """
        nodes = self.graph.nodes
        return self._like(
            [(n, i) for n in nodes for i in range(1 if n.op is None else visible_of(n.op))]
        )

    def get_children(self) -> Symbol | None:
        """Return the operands of its nodes, as a group, or None for variables."""
        nodes = dict.fromkeys(node for node, _ in self.entries)
        entries = [operand for node in nodes for operand in node.entries]
        return self._like(entries) if entries else None

    def _like(self, entries: Sequence[Entry]) -> Any:
        kind: Any = type(self)
        return kind(entries)

    def named(self, name: str) -> Symbol:
        """Return the same symbol under another name.

        >>> import nbgraph as ng
        >>> ng.sin(ng.var("x")).named("wave").list_outputs()
        ['wave_output']
        """
        if len(self.entries) != 1 or not isinstance(name, str) or not name:
            raise ArgumentError(f"named: name={name!r}; name one symbol with a string")
        node, index = self.entries[0]
        if node.op is None:
            raise ArgumentError(f"named: {node.name!r} is a variable; make it with that name")
        again = build.rebuilt(node, node.inputs, name=naming.scope.get() + name)
        return self._like([(again, index)])

    # attributes -------------------------------------------------------------------------------

    def attr(self, key: str) -> Any:
        """Return an attribute of the node by name, or None if it has no such attribute."""
        return self.list_attr().get(key)

    def list_attr(self) -> dict[str, Any]:
        """Return the node's attributes: those of the user, and the operator's parameters."""
        (node, _) = self.entries[0]
        return _attributes(node)

    def attr_dict(self) -> dict[str, dict[str, Any]]:
        """Return the attributes of every node that has some, by name."""
        graph = self.graph
        by_name = {graph.names[node]: _attributes(node) for node in graph.nodes}
        return {name: attributes for name, attributes in by_name.items() if attributes}

    # shapes and dtypes ------------------------------------------------------------------------

    def infer_shape(
        self, *in_order: PartialShape, **shapes: Sequence[int]
    ) -> tuple[Shapes, Shapes, Shapes]:
        """Return the shapes of arguments, outputs and states, from those of some variables: by
        name, or in the order of `list_arguments()` with None for unknown ones.

        Returns (None, None, None) unless all are determined; see `infer_shape_partial`. Raises
        ShapeError for contradictions, with both shapes and the paths to them.

        >>> import nbgraph as ng
        >>> net = ng.var("x") @ ng.var("w")
        >>> net.infer_shape(x=(2, 3), w=(3, 4))
        ([(2, 3), (3, 4)], [(2, 4)], [])
        >>> net.infer_shape((2, 3), (3, 4))[1]
        [(2, 4)]
        >>> net.infer_shape(x=(2, 3))
        (None, None, None)
        """
        named = self._named("infer_shape", "shapes", in_order, shapes)
        inference = resolved(self.graph, named, {})[1]
        if inference.missing() or inference.unfilled():
            return None, None, None
        return _sorted(inference.graph, inference.shapes)

    def infer_shape_partial(
        self, *in_order: PartialShape, **shapes: Sequence[int]
    ) -> tuple[Shapes, Shapes, Shapes]:
        """Return the same as `infer_shape`, with None for shapes or extents that are not
        determined."""
        named = self._named("infer_shape_partial", "shapes", in_order, shapes)
        inference = resolved(self.graph, named, {})[1]
        return _sorted(inference.graph, inference.shapes)

    def infer_type(self, *in_order: Any, **dtypes: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the dtypes of arguments, outputs and states, from those of some variables: by
        name, or in the order of `list_arguments()` with None for unknown ones.

        A variable without a dtype takes that of floating operands of the same operators, in both
        directions, if these keep dtypes; else it is `ng.config.default_float`. None where an
        operator needs shapes first. Raises DTypeError where dtypes do not agree.

        >>> import nbgraph as ng
        >>> (ng.var("x") @ ng.var("w")).infer_type(x="float64")
        ([dtype('float64'), dtype('float64')], [dtype('float64')], [])
        """
        named = self._named("infer_type", "dtypes", in_order, dtypes)
        inference = resolved(self.graph, {}, named)[1]
        return _sorted(inference.graph, inference.dtypes)

    infer_type_partial = infer_type  # which may return None for some

    def _named(
        self, call: str, what: str, values: Sequence[Any], named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return values by name: positional ones by `list_arguments()`, and named ones."""
        names = self.list_arguments()
        if len(values) > len(names):
            raise ArgumentError(
                f"{call}: {len(values)} {what} for {len(names)} arguments ({', '.join(names)}); "
                "give one for each at most"
            )
        by_place = dict(zip(names, values, strict=False))
        twice = [name for name in by_place if name in named]
        if twice:
            raise ArgumentError(f"{call}: {twice[0]!r} is given twice, by its place and by name")
        return {**by_place, **named}


def _attributes(node: GraphNode) -> dict[str, Any]:
    attributes = {} if node.op is None else node.attributes
    pairs = [*attributes.items(), *node.marks.items()]
    return {key: v for key, v in pairs if key not in naming.CALL_MARKS and not isinstance(v, Slot)}


def _sorted(graph: Graph, known: Mapping[Entry, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the inferred shapes or dtypes of arguments, heads and states."""
    states = set(auxiliary_variables(graph))
    variables = graph.variables
    return (
        [known.get((v, 0)) for v in variables if v not in states],
        [known.get(entry) for entry in graph.heads],
        [known.get((v, 0)) for v in variables if v in states],
    )


def typed(graph: Graph, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]) -> Graph:
    """Return the graph with all shapes and dtypes, and functions that depend on them expanded.

    Raises ShapeError with the names of variables without a shape."""
    graph = with_names(graph)
    result = _typed_forward(graph, shapes, dtypes)
    if result is not None:
        return result
    graph, inference = resolved(graph, shapes, dtypes)
    missing = inference.missing()
    if missing:
        listed = ", ".join(missing)
        raise ShapeError(
            f"the shape of {listed} is not known and does not follow from what is given; give "
            f"{', '.join(f'{name}=(...)' for name in missing)}"
        )
    for node in inference.unfilled():
        shape = partial_text(node.attributes["shape"])
        raise ShapeError(
            f"{node.label}: shape {shape} does not follow from where it is used; give the extents, "
            "or use it beside an array that has them"
        )
    variables: dict[GraphNode, GraphNode] = {}
    by_name: dict[str, GraphNode] = {}
    for node in graph.variables:
        spec = inference.spec((node, 0))
        assert spec is not None
        name = str(node.name)
        variables[node] = build.variable(name, *spec, node.marks, node.line)
        if by_name.setdefault(name, variables[node]) is not variables[node]:
            raise ArgumentError(
                f"two variables are called {name!r}, and differ in shape, dtype or attributes; "
                "give them two names, or use one of them in both places"
            )
    return with_variables(graph, variables, without=EXPECTED)


def _typed_forward(
    graph: Graph, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]
) -> Graph | None:
    """Return the typed graph if the shapes of all variables are known: operators infer once,
    operands first, and variables without a dtype get the default one, unless other floats are in
    the graph. Return None where that needs inference in both directions, or an error message."""
    names = {str(node.name): node for node in graph.variables}
    invalid = len(names) < len(graph.variables) or not names.keys() >= {*shapes, *dtypes}
    if invalid or any(
        isinstance(node.op, _BOTH_WAYS) or node.op is EXPECTED for node in graph.nodes
    ):
        return None
    default, chosen = as_dtype(config.default_float), False
    variables: dict[GraphNode, GraphNode] = {}
    try:
        for name, node in names.items():
            shape, declared = as_partial(name, shapes.get(name)), node.attributes["shape"]
            shape = declared if shape is None else shape
            dtype = node.attributes["dtype"]
            asked = None if dtypes.get(name) is None else variable_dtype(name, dtypes[name])
            if shape is None or None in shape or declared not in (None, shape):
                return None
            if dtype is not None and asked is not None and dtype != asked:
                return None
            dtype = asked if dtype is None else dtype
            chosen = chosen or dtype is None
            kind = default if dtype is None else dtype
            variables[node] = build.variable(name, shape, kind, node.marks, node.line)
        typed = with_variables(graph, variables)
    except Exception:  # a user's shape function may raise anything; inference reports the node
        return None
    specs = [node.specs for node in typed.nodes]
    if None in specs:
        return None
    all_dtypes = {spec.dtype for listed in specs if listed for spec in listed}
    others = chosen and any(is_float(dtype) and dtype != default for dtype in all_dtypes)
    meets_complex = any(dtype.kind == "c" for dtype in all_dtypes)  # may need other operators
    return None if others or meets_complex else typed
