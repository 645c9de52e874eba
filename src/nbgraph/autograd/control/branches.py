"""Branches as functions of functions: `cond`, `switch`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.autograd.control.closing import (
    Closing,
    applied,
    eagerly,
    effects_so_far,
    entries_of,
    entry_of,
    fresh,
    require_like,
    require_spec,
    spec_of,
    symbolic,
    wrapped,
)
from nbgraph.autograd.results import require_function
from nbgraph.autograd.tree import like
from nbgraph.errors import ArgumentError, function_name
from nbgraph.executor.control.branch_op import Branches, branch_op
from nbgraph.graph.graph import Entry
from nbgraph.ops.define import library
from nbgraph.signatures import Function, checked


@checked
def cond(pred: Any, true_fun: Function, false_fun: Function, *operands: Any) -> Any:
    """Return `true_fun(*operands)` where a condition holds, else `false_fun(*operands)`.

    Parameters
    ----------
    pred : bool, or an array of one element, which holds where it is not 0
    true_fun, false_fun : callables of the operands that give the same structure, shapes and dtypes
    *operands : arrays, numbers, or structures of these

    In a graph this is one node; only the chosen branch is computed and differentiated.

    Raises
    ------
    ArgumentError, ShapeError or DTypeError where the branches' results differ.

    >>> import nbgraph as ng
    >>> ng.cond(ng.array(3.0) > 2, lambda x: x * 2, lambda x: x / 2, ng.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    """
    listed = ", ".join(["operand"] * len(operands))
    require_function("cond", true_fun, f"true_fun({listed})")
    require_function("cond", false_fun, f"false_fun({listed})")
    return _choose("cond", pred, (false_fun, true_fun), operands)


@checked
def switch(index: Any, branches: Sequence[Function], *operands: Any) -> Any:
    """Return `branches[index](*operands)`.

    Parameters
    ----------
    index : int, or an array of one integer; clipped to the range of the functions
    branches : callables of the operands that give the same structure, shapes and dtypes
    *operands : arrays, numbers, or structures of these

    >>> import nbgraph as ng
    >>> ng.transforms.switch(1, [lambda x: x, lambda x: x * x], ng.array(3.0))
    array(9., dtype=float32)
    """
    functions = tuple(branches)
    if not functions:
        raise ArgumentError("switch: branches is empty; give one function or more")
    for k, f in enumerate(functions):
        require_function("switch", f, f"branches[{k}]({', '.join(['operand'] * len(operands))})")
    return _choose("switch", index, functions, operands)


@checked
def checkpointed(f: Function) -> Function:
    """Return a function that computes `f` again for its gradient, rather than keep residuals.

    >>> import nbgraph as ng
    >>> f = ng.checkpoint(lambda x: ng.sin(ng.sin(x)))
    >>> float(ng.grad(f)(0.0))
    1.0
    """

    @functools.wraps(f, updated=())
    def again(*args: Any) -> Any:
        return _choose("checkpoint", np.int64(0), (f,), args)

    return again


def _choose(name: str, index: Any, functions: Sequence[Function], operands: Sequence[Any]) -> Any:
    def run(index: Any, operands: Any) -> Any:
        return _choice_node(name, index, functions, operands)

    if symbolic(index, operands):
        return run(index, operands)
    key = (name, *functions)
    path = "pred" if name == "cond" else "index"
    return eagerly(name, key, run, (index, tuple(operands)), path, "operands")


def _choice_node(name: str, index: Any, functions: Sequence[Function], operands: Any) -> Any:
    number = _branch_number(name, index)
    inputs = entries_of(name, operands, "operands")
    variables, before = fresh([spec_of(entry) for entry in inputs]), effects_so_far()
    heads: list[Entry] = []
    outs: list[Any] = []
    for f in functions:
        outs.append(f(*like(operands, [wrapped((v, 0)) for v in variables])))
        require_like(
            name, f"what {function_name(f)} returns", outs[-1], outs[0], function_name(functions[0])
        )
        own = entries_of(name, outs[-1], "result")
        for k, entry in enumerate(own):
            first = spec_of((heads or own)[k])
            what = f"result {k} of {function_name(f)}"
            remedy = f"all branches have to return what {function_name(functions[0])} does"
            require_spec(name, what, spec_of(entry), first, remedy)
        heads += own
    if not heads:
        return outs[0]
    names = [f"operand {k}" for k in range(len(inputs))]
    body = Closing(name, variables, before, names, ()).over(heads)
    count = len(heads) // len(functions)
    each = [body.heads[k : k + count] for k in range(0, len(heads), count)]
    op = branch_op(Branches(tuple(each), body.variables))
    return like(outs[0], applied(op, [number, *inputs, *body.captured]))


def _branch_number(name: str, index: Any) -> Entry:
    """Return the number of the branch; that of a condition is 1 or 0."""
    if name == "cond":
        return library.astype(condition(name, index, "pred"), np.dtype("int64")).entry
    entry = entry_of(name, index, "index")
    own = spec_of(entry)
    if own is not None and (own.shape or own.dtype.kind not in "iu"):
        raise ArgumentError(f"{name}: index is {own}; give one integer")
    return library.astype(wrapped(entry), np.dtype("int64")).entry


def condition(name: str, value: Any, what: str) -> Any:
    """Return a condition as one bool, of a number `!= 0`; raise ArgumentError for several."""
    entry = entry_of(name, value, what)
    own = spec_of(entry)
    flag: Any = wrapped(entry)
    if own is not None and own.shape:
        if any(n != 1 for n in own.shape):
            raise ArgumentError(f"{name}: {what} is {own}; give one bool, as x.sum() > 0")
        flag = library.reshape(flag, ())
    return flag if own is not None and own.dtype.kind == "b" else flag != 0
