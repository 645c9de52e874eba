"""Inference of shapes and dtypes through a graph, in both directions.

If all operands of a node are known its operator infers the outputs; partial shapes and dtypes
propagate by `nbgraph.graph.flow`. A node is visited again only after one of its operands or outputs
became known, so that the work is linear in the size of the graph.

Unknown extents of zeros, ones and the like (`ng.sym.zeros((0, 4))`) are those of the other operands
of scalar operators, unless something else determines them.

A variable without a dtype takes that of the other floating operands, or of the output, of an
operator that keeps dtypes; else it is `ng.config.default_float`.
"""

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, is_float
from nbgraph.engine.sites import site
from nbgraph.errors import ArgumentError, DTypeError, NbgraphError
from nbgraph.graph.build import GraphNode, PartialShape, as_partial, infer, variable_dtype
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.flow import (
    certain_dtypes,
    is_known,
    keeps_float,
    output_dtypes,
    partial_shapes,
)
from nbgraph.graph.graph import Entry, Graph
from nbgraph.operator.arrays.array_op import FilledOp, Spec, Specs
from nbgraph.operator.mapper.complex_call import any_complex
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.settings import config
from nbgraph.shape import broadcast, merged, partial_text

_SHOWN = 6  # nodes of a path that an error shows


class Inference:
    """The inferred shape and dtype of each entry of a graph, from those of some variables.

    Raises ShapeError or DTypeError for contradictions, with both sides and the paths to them.
    """

    def __init__(self, graph: Graph, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]) -> None:
        self.graph = graph
        self.shapes: dict[Entry, PartialShape] = {}
        self.dtypes: dict[Entry, np.dtype[Any]] = {}
        self._pending: deque[GraphNode] = deque()
        self._queued: set[GraphNode] = set()
        self.meets_complex = False  # whether scalar operators have complex operands
        _require_known("shape", shapes, graph)
        _require_known("dtype", dtypes, graph)
        for node in graph.variables:
            self._begin(node, shapes, dtypes)
        self._sweeping = True
        for node in graph.nodes:
            self._ask(node)
        self._sweeping = False
        self._settle(n for n in reversed(graph.nodes) if not self._complete(n))
        self._choose_extents()
        self._choose_dtypes()

    def spec(self, entry: Entry) -> Spec | None:
        """Return shape and dtype of an entry, or None unless both are known completely."""
        shape = self.shapes.get(entry)
        dtype = self.dtypes.get(entry)
        return None if dtype is None or shape is None or None in shape else Spec(shape, dtype)  # type: ignore[arg-type]

    def missing(self) -> list[str]:
        """Return the names of variables whose shape is not determined."""
        return [str(v.name) for v in self.graph.variables if not is_known(self.shapes.get((v, 0)))]

    def unfilled(self) -> list[GraphNode]:
        """Return zeros, ones and the like whose shape is not determined."""
        filled = [n for n in self.graph.nodes if isinstance(n.op, FilledOp)]
        return [n for n in filled if not is_known(self.shapes.get((n, 0)))]

    # beginning --------------------------------------------------------------------------------

    def _begin(self, node: GraphNode, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]) -> None:
        name = str(node.name)
        shape = as_partial(f"variable {name!r}", shapes.get(name))
        self.shapes[node, 0] = merged(node.attributes["shape"], shape, f"variable {name!r}")
        declared = node.attributes["dtype"]
        chosen_dtype = None if dtypes.get(name) is None else variable_dtype(name, dtypes[name])
        if declared is not None and chosen_dtype is not None and declared != chosen_dtype:
            raise DTypeError(
                f"variable {name!r} was made with dtype {declared}, {chosen_dtype} is given; "
                "leave one of them out"
            )
        chosen = chosen_dtype if declared is None else declared
        if chosen is not None:
            self.dtypes[node, 0] = chosen

    def _choose_extents(self) -> None:
        """Set unknown extents of zeros and the like, and of values computed from these only, to
        those of other operands of scalar operators, as all elements along them are equal. Then set
        those of variables to extents above 1 of other operands."""
        for unknown, ones in ((self.unfilled, True), (self._partial, False)):
            learned = True
            while learned and unknown():
                alike = self._alike(unknown())
                fitted = [self._fit(node, alike, ones) for node in reversed(self.graph.nodes)]
                learned = any(fitted)

    def _partial(self) -> list[GraphNode]:
        """Return variables with some known and some unknown extents."""
        known = {v: self.shapes.get((v, 0)) for v in self.graph.variables}
        return [v for v, shape in known.items() if shape is not None and None in shape]

    def _alike(self, nodes: Iterable[GraphNode]) -> set[Entry]:
        """Return entries whose shape is unknown only because of extents of these nodes."""
        entries = {(node, 0) for node in nodes}
        for node in self.graph.nodes:
            unknown = [v for v in node.entries if not is_known(self.shapes.get(v))]
            if unknown and all(v in entries for v in unknown):
                self._learn_rank(node)
                outputs = [(node, k) for k in range(node.nout)]
                entries.update(v for v in outputs if not is_known(self.shapes.get(v)))
        return entries

    def _learn_rank(self, node: GraphNode) -> None:
        """Infer the rank of a scalar operator's output, and its extents larger than 1."""
        shapes = [self.shapes.get(v) for v in node.entries]
        if not isinstance(node.op, Mapper) or any(s is None for s in shapes):
            return
        rank = max(len(s) for s in shapes if s is not None)
        aligned = [(*[1] * (rank - len(s)), *s) for s in shapes if s is not None]
        axes = [set(axis) for axis in zip(*aligned, strict=True)]
        shape = tuple(
            [next((n for n in a if n not in (None, 1)), 1 if a == {1} else None) for a in axes]
        )
        for k in range(node.nout):
            self._learn_shape((node, k), shape, node)

    def _fit(self, node: GraphNode, alike: Container[Entry], ones: bool) -> bool:
        """Infer extents of operands in `alike` of a scalar operator; return whether any changed."""
        if not isinstance(node.op, Mapper):
            return False
        own = [v for v in node.entries if v in alike]
        shape = self.shapes.get((node, 0))
        if not is_known(shape):
            others = [self.shapes.get(v) for v in node.entries if v not in alike]
            if not own or not others or not all(map(is_known, others)):
                return False
            shape = broadcast(node.label, [(node.label, s) for s in others])  # type: ignore[misc]
        learned = False
        for entry in own:
            before = self.shapes.get(entry)
            if before is not None and shape is not None:
                target = (*[None] * (len(before) - len(shape)), *shape)[-len(before) :]
                target = tuple([None if n == 1 and not ones else n for n in target])
                after = tuple([b if a is None else a for a, b in zip(before, target, strict=True)])
                learned = learned or after != before
                self._learn_shape(entry, after, node)
        self._settle(())
        return learned

    def _choose_dtypes(self) -> None:
        """Choose dtypes of variables that have none."""
        without = [v for v in self.graph.variables if (v, 0) not in self.dtypes]
        if not without:
            return
        open_nodes = [
            n
            for n in self.graph.nodes
            if n.op is not None and not _all_known(self._operand_dtypes(n))
        ]
        for node in (*open_nodes, *reversed(open_nodes)):
            self._adopt(node)
            self._settle(())
        for node in without:
            if (node, 0) not in self.dtypes:
                self._learn_dtype((node, 0), as_dtype(config.default_float))
                self._settle(())

    # one node ---------------------------------------------------------------------------------

    def _settle(self, nodes: Iterable[GraphNode]) -> None:
        """Visit these nodes, and then nodes next to changed entries, until nothing changes."""
        for node in nodes:
            self._queue(node)
        while self._pending:
            node = self._pending.popleft()
            self._queued.discard(node)
            self._ask(node)

    def _queue(self, node: GraphNode) -> None:
        if node.op is not None and node not in self._queued:
            self._queued.add(node)
            self._pending.append(node)

    def _ask(self, node: GraphNode) -> None:
        if node.op is None or self._complete(node):
            return
        if node.specs is not None and all((node, k) not in self.shapes for k in range(node.nout)):
            if not node.open:
                self._learn_specs(node, node.specs)  # inferred when it was made
                return
            for k, spec in enumerate(node.specs):
                self._learn_shape((node, k), spec.shape, node)
        try:
            if not self._forward(node):
                self._through(node)
        except NbgraphError as problem:
            error = type(problem)("\n".join([str(problem), *_way(self, node)]))
            for note in getattr(problem, "__notes__", ()):
                error.add_note(note)
            raise error from None
        except Exception as problem:  # of a user's shape function: add the node to its error
            problem.add_note("\n".join(_way(self, node)))
            raise

    def _forward(self, node: GraphNode) -> bool:
        """Infer outputs from operands, if these are known completely; return whether they are."""
        assert node.op is not None
        operands = [self.spec(v) if type(v) is tuple else v for v in node.inputs]
        if any(v is None for v in operands) or (not operands and node.specs is None):
            return False
        if self._complex_call(node):
            return False
        self._learn_specs(node, infer(node.op, operands, node.attributes))
        return True

    def _through(self, node: GraphNode) -> None:
        """Propagate partial shapes and dtypes from operands to outputs and back."""
        entries, outputs = node.entries, [(node, k) for k in range(node.nout)]
        shapes = partial_shapes(
            node, [self.shapes.get(v) for v in entries], [self.shapes.get(v) for v in outputs]
        )
        for entry, shape in zip((*entries, *outputs), (*shapes[0], *shapes[1]), strict=True):
            self._learn_shape(entry, shape, node)
        dtypes = self._operand_dtypes(node)
        if not isinstance(node.op, Mapper) and node.op is not None:
            self._learn_declared_dtypes(node, dtypes, outputs)
        if (node, 0) not in self.dtypes and _all_known(dtypes) and not self._complex_call(node):
            outputs_of = output_dtypes(node, dtypes, self._operand_shapes(node))
            for k, dtype in enumerate(outputs_of or ()):
                self._learn_dtype((node, k), dtype)

    def _complex_call(self, node: GraphNode) -> bool:
        """Return whether it is a scalar operator over complex operands, which other operators will
        replace; see `composite.resolved`."""
        if not isinstance(node.op, Mapper) or not any_complex(self._operand_dtypes(node)):
            return False
        self.meets_complex = True
        return True

    def _learn_declared_dtypes(
        self, node: GraphNode, dtypes: Sequence[Any], outputs: Sequence[Entry]
    ) -> None:
        """Propagate dtypes by an array operator's `infer_dtypes`, in both directions."""
        op: Any = node.op
        answer = op.infer_dtypes(dtypes, [self.dtypes.get(v) for v in outputs], node.attributes)
        for groups in () if answer is None else zip((node.inputs, outputs), answer, strict=True):
            for entry, dtype in zip(*groups, strict=True):
                if dtype is not None and (entry not in self.dtypes or self.dtypes[entry] != dtype):
                    self._learn_dtype(entry, dtype)  # type: ignore[arg-type]

    def _adopt(self, node: GraphNode) -> None:
        """Set unknown dtypes of operands to that of the other floats, or of the output; and that of
        the output if it does not depend on the operands."""
        dtypes = self._operand_dtypes(node)
        if _all_known(dtypes) or self._complex_call(node):
            return
        shapes = self._operand_shapes(node)
        for k, dtype in enumerate(certain_dtypes(node, dtypes, shapes) or ()):
            self._learn_dtype((node, k), dtype)
        operands: list[Any] = [*node.inputs]
        beside = [
            d
            for d, operand in zip(dtypes, operands, strict=True)
            if isinstance(d, np.dtype)
            and is_float(d)
            # a number that an operator over whole arrays took as a constant
            and not (operand[0].op is CONSTANT and operand[0].specs[0].shape == ())
        ]
        out = self.dtypes.get((node, 0))
        if out is not None and is_float(out):
            beside = [out]
        if beside and keeps_float(node, dtypes, shapes):
            for operand, dtype in zip(node.inputs, dtypes, strict=True):
                if dtype is None:
                    self._learn_dtype(operand, np.result_type(*beside))  # type: ignore[arg-type]

    def _operand_dtypes(self, node: GraphNode) -> list[Any]:
        return [self.dtypes.get(v) if type(v) is tuple else v for v in node.inputs]

    def _operand_shapes(self, node: GraphNode) -> list[PartialShape]:
        return [self.shapes.get(v) if type(v) is tuple else () for v in node.inputs]

    # what becomes known -----------------------------------------------------------------------

    def _learn_specs(self, node: GraphNode, specs: Specs) -> None:
        for k, (shape, dtype) in enumerate(specs):
            self._learn_shape((node, k), shape, node)
            self._learn_dtype((node, k), dtype)

    def _learn_shape(self, entry: Entry, shape: PartialShape, node: GraphNode) -> None:
        before = self.shapes.get(entry)
        what = node.label if entry[0] is node else f"{node.label}: operand {entry[0].label!r}"
        after = merged(before, shape, what)
        if after != before:
            self.shapes[entry] = after
            self._tell(entry)

    def _learn_dtype(self, entry: Entry, dtype: np.dtype[Any]) -> None:
        before = self.dtypes.setdefault(entry, dtype)
        if before is not dtype and before != dtype:
            raise DTypeError(
                f"{entry[0].label}: dtype {dtype} does not agree with {before}, which was found "
                "before; give the variables dtypes, or cast with ng.astype"
            )
        self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        """Queue the nodes next to a changed entry."""
        if self._sweeping:  # over all nodes; incomplete ones are visited again after that
            return
        self._queue(entry[0])
        for user, _ in self.graph.users.get(entry, ()):
            self._queue(user)

    def _complete(self, node: GraphNode) -> bool:
        """Return whether all operands and outputs of the node are known."""
        outputs = all(self.spec((node, k)) is not None for k in range(node.nout))
        return outputs and all(is_known(self.shapes.get(v)) for v in node.entries)


def _all_known(dtypes: Sequence[Any]) -> bool:
    return all(dtype is not None for dtype in dtypes)  # None equals float64, to NumPy


def _require_known(what: str, values: Mapping[str, Any], graph: Graph) -> None:
    names = [str(v.name) for v in graph.variables]
    for name in values:
        if name not in names:
            raise ArgumentError(
                f"{what} of {name!r} is given, but no variable is called so; there are: "
                f"{', '.join(names) or 'none'}"
            )


# errors -----------------------------------------------------------------------------------------


def _way(known: Inference, node: GraphNode) -> list[str]:
    lines = [] if node.line is None else [f"  made at {site(*node.line)}"]
    for i, operand in enumerate(node.inputs):
        if type(operand) is tuple:
            lines.append(f"  operand {i}: {' <- '.join(_path(known, operand))}")
    return lines


def _path(known: Inference, entry: Entry) -> list[str]:
    path: list[str] = []
    while True:
        shape = known.shapes.get(entry)
        spec = known.spec(entry) or (None if shape is None else partial_text(shape))
        path.append(f"{entry[0].label}" + ("" if spec is None else f": {spec}"))
        above = entry[0].entries
        if not above:
            return path
        if len(path) == _SHOWN:
            return [*path, "..."]
        entry = above[0]
