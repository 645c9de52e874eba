"""A choice between bodies as an operator: operand 0 selects the body to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from nbgraph.dtype import inexact
from nbgraph.errors import ShapeError
from nbgraph.executor.control.loop import evaluated, typed
from nbgraph.executor.control.reverse import renamed
from nbgraph.executor.control.rows import Fixed, Rows, Where, scratch_bytes
from nbgraph.executor.control.stream_rows import StreamRows
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import gradient
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec, Specs
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.request import OpReqType
from nbgraph.shape import Arrays

_OPS: WeakValueDictionary[Branches, BranchOp] = WeakValueDictionary()


class Branches(NamedTuple):
    """The results of each branch, with common variables."""

    heads: tuple[tuple[Entry, ...], ...]
    variables: tuple[GraphNode, ...]

    @property
    def graphs(self) -> list[Graph]:
        """The branches one by one."""
        return [Graph(heads, self.variables) for heads in self.heads]


class BranchOp(ArrayOp):
    """A choice; `branch_op` creates it. Operand 0 is the branch's number, clipped, int64."""

    kernels = ("host", "devices")
    adds = False

    def __init__(self, branches: Branches) -> None:
        super().__init__(
            "cond",
            self._specs,
            gradient=self._gradient,
            keeps=("index", "*operands"),
            operands=("index", "*operands"),
            nout=len(branches.heads[0]),
            doc="One of several bodies, chosen at run time.",
        )
        self.branches = branches
        self._typed: dict[tuple[Spec, ...], list[Graph]] = {}

    def keeps_input(self, index: int) -> bool:
        """See ArrayOp: the gradient computes the selected branch again."""
        return True

    def body_form(self) -> tuple[dict[str, Any], list[Entry]]:
        """Return the branches for a file: their number, and the entries of all."""
        branches = self.branches
        heads = [head for heads in branches.heads for head in heads]
        fields = {"branches": len(branches.heads), "heads": len(heads)}
        return fields, [*heads, *((v, 0) for v in branches.variables)]

    def typed(self, specs: Specs) -> list[Graph]:
        """Return the branches for operands of these specs."""
        key = tuple(specs)
        if key not in self._typed:
            graphs = [typed(graph, specs[1:]) for graph in self.branches.graphs]
            expected = [spec(head) for head in graphs[0].heads]
            for k, graph in enumerate(graphs):
                own = [spec(head) for head in graph.heads]
                if own != expected:
                    raise ShapeError(
                        f"cond: branch {k} returns {', '.join(map(str, own))}, branch 0 "
                        f"{', '.join(map(str, expected))}; all have to return the same shapes and "
                        "dtypes"
                    )
            self._typed[key] = graphs
        return self._typed[key]

    def _specs(self, *specs: Spec) -> list[Spec]:
        return [spec(head) for head in self.typed(specs)[0].heads]

    def lower(self, case: Application) -> Lowered | None:
        graphs, needed = self.typed(case.specs), case.needed
        count, rows = len(case.operands), Rows() if case.host else StreamRows()
        inside: list[Where] = [Fixed(k + 1) for k in range(count - 1)]
        results: list[Where] = [Fixed(count + k) for k in range(len(needed))]
        for graph in graphs:
            first = len(rows.sections["row"])
            heads = [graph.heads[k] for k in needed]
            writes = [OpReqType.kWriteTo] * len(heads)
            if not rows.body(graph.with_heads(heads), writes, inside, results):
                return None
            rows.sections["branch"].append((first, len(rows.sections["row"])))
        order = [*range(count), *(count + k for k in needed), count + self.nout]
        front = {"length": 1, "choice_slot": 0}
        call, nbytes = rows.call("cond", front, order, len(needed) + 1, 1)
        return Lowered((call,), case.contiguous(), (scratch_bytes(nbytes),), adds=False)

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        """See ArrayOp: the branch, evaluated operator by operator."""
        graphs = self.typed([Spec.of(x) for x in inputs])
        chosen = int(np.clip(int(inputs[0]), 0, len(graphs) - 1))
        for out, value in zip(outputs, evaluated(graphs[chosen], inputs[1:]), strict=True):
            out[...] = value

    def _gradient(self, g: Gradients) -> Sequence[Any]:
        """Return in-gradients from the same choice between the gradients of the branches."""
        graphs = self.typed(g.specs)
        seeded = [k for k, value in enumerate(g.out_grads) if value is not None]
        targets = [
            k
            for k, v in enumerate(graphs[0].variables)
            if g.wanted[k + 1] and inexact(spec((v, 0)).dtype)
        ]
        gradients: list[Any] = [None] * len(g.specs)
        if not targets:
            return gradients
        branches: list[Graph] = []
        for graph in graphs:
            variables = graph.variables
            seeds = [
                build.variable(f"gradient of result {k}", *spec(graph.heads[k])) for k in seeded
            ]
            forward = graph.with_heads([graph.heads[k] for k in seeded])
            slopes = gradient(forward, [variables[k] for k in targets], [(s, 0) for s in seeds])
            branches.append(renamed(Graph(slopes.heads, [*variables, *seeds]), "operand {}".format))
        op = branch_op(Branches(tuple(x.heads for x in branches), branches[0].variables))
        values = op(*g.inputs, *(g.out_grads[k] for k in seeded))
        for k, value in zip(
            targets, values if isinstance(values, tuple) else (values,), strict=True
        ):
            gradients[k + 1] = value
        return gradients


def restored(fields: Mapping[str, Any], entries: Sequence[Entry]) -> BranchOp:
    """Return the operator of branches from a file; see `BranchOp.body_form`."""
    count, many = fields["heads"], fields["branches"]
    each = count // many
    heads = tuple([tuple(entries[k * each : (k + 1) * each]) for k in range(many)])
    return branch_op(Branches(heads, tuple([node for node, _ in entries[count:]])))


def branch_op(branches: Branches) -> BranchOp:
    """Return the operator of a choice: the existing one if there is an equal one."""
    op = _OPS.get(branches)
    if op is None:
        op = _OPS.setdefault(branches, BranchOp(branches))
    return op
