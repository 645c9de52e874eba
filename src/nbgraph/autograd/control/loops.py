"""Loops as functions of functions: `scan`, `while_loop`, `fori_loop`, `map`.

Inside a trace, and on symbols, a loop is one node whose body is a graph. On arrays it is traced and
run as a graph of that one node, which the tape records as one operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.autograd.control.closing import (
    Closed,
    Closing,
    eagerly,
    effects_so_far,
    entries_of,
    entry_of,
    fresh,
    require_like,
    require_spec,
    shown,
    spec_of,
    stepwise,
    symbolic,
    wrapped,
)
from nbgraph.autograd.control.segments import needs_segments, segmented, steps_of, unrolled
from nbgraph.autograd.results import require_function
from nbgraph.autograd.tree import like, places
from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, noun, require_whole
from nbgraph.executor.control.loop import Loop
from nbgraph.executor.control.loop_op import loop_op
from nbgraph.executor.control.reverse import keeping
from nbgraph.graph.graph import Entry
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.call import recording
from nbgraph.ops.define import library
from nbgraph.signatures import Function, checked

_SCAN = "scan", "init", "xs"  # the names in errors of a loop, its first carry, and its arrays


@checked
def scan(
    f: Function,
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    *,
    checkpoint: bool | None = None,
) -> tuple[Any, Any]:
    """Carry a value through the parts of arrays: one step `carry, y = f(carry, x)` for each.

    Parameters
    ----------
    f : callable of the carry and the part of xs of one step, which gives the next carry, of the
        same structure, shapes and dtypes, and the result of the step (a structure, or None)
    init : the first carry: an array, number, or structure of these
    xs : arrays, or a structure of these, whose first axis counts the steps; None: no parts
    length : int
        The number of steps, needed where there is no xs.
    reverse : bool
        Whether steps go from the last part to the first; results stay at the places of their parts.
    unroll : int or bool
        Accepted for JAX's sake, without effect: a loop is one node.
    checkpoint : bool, optional
        Whether the gradient computes steps again, so that of n steps only about 2 sqrt(n) carries
        are kept; None: only where more than 256 MiB would be kept.

    Returns
    -------
    the last carry, and the results of all steps, stacked along a new first axis

    Raises
    ------
    ShapeError or DTypeError where the carry changes its shape or dtype, or xs differ in length.

    In a graph the loop is one node, whatever the number of steps, and its gradient another.

    >>> import nbgraph as ng
    >>> ng.scan(lambda total, x: (total + x, total * x), 0.0, ng.array([1.0, 2.0, 3.0]))
    (array(6., dtype=float32), array([0., 2., 9.], dtype=float32))
    """
    require_function("scan", f, "f(carry, x)")
    return scanned(("scan", f), f, init, xs, length, reverse, checkpoint)


def scanned(
    key: Any,
    f: Function,
    init: Any,
    xs: Any,
    length: int | None = None,
    reverse: bool = False,
    checkpoint: bool | None = None,
    *,
    call: tuple[str, str, str] = _SCAN,
) -> tuple[Any, Any]:
    """Return the results of `scan`, with the names in `call` for errors; on arrays, functions with
    an equal `key` share one trace."""
    weak = tuple([type(p.value) in (int, float) for p in places(init, "")])
    if length is not None:
        length = require_whole(f"{call[0]}: length", length, 0)

    def run(init: Any, xs: Any) -> Any:
        return _scan_node(f, init, xs, length, reverse, weak, checkpoint, call)

    if stepwise(init, xs):
        return unrolled(f, init, xs, length, reverse)
    if symbolic(init, xs):
        return run(init, xs)
    key = key, length, reverse, weak, checkpoint
    return eagerly(call[0], key, run, (init, xs), *call[1:])


def _scan_node(
    f: Function,
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    weak: Sequence[bool],
    checkpoint: bool | None = None,
    call: tuple[str, str, str] = _SCAN,
) -> Any:
    name, first, along = call
    carries, parts = entries_of(name, init, first), entries_of(name, xs, along)
    count = steps_of(xs, length, name, along)
    own = [spec and Spec(spec.shape[1:], spec.dtype) for spec in map(spec_of, parts)]
    before, results = effects_so_far(), None

    def step(values: Sequence[Any]) -> tuple[Any, list[Entry]]:
        nonlocal results
        out = f(like(init, values[: len(carries)]), like(xs, values[len(carries) :]))
        parts = "the next carry, and the result of the step (None where there is none)"
        carry, results = pair(f"{name}: f", out, parts)
        return carry, entries_of(name, results, "the result of a step")

    carries, traced, ys = _traced_body(name, step, init, carries, weak, own)
    variables, heads = traced
    names = [f"carry {k}" for k in range(len(carries))] + [f"x {k}" for k in range(len(parts))]
    steps = None if count is None else (count,)
    body = Closing(name, variables, before, names, steps).over([*heads, *ys])
    parts += body.drawn
    loop = Loop(body.heads, body.variables, len(carries), len(parts), len(ys), count, bool(reverse))
    outputs = _outputs(loop, [*carries, *parts], body, checkpoint)
    split = len(carries)
    return like(init, outputs[:split]), like(results, outputs[split:])


@checked
def while_loop(
    cond_fun: Function, body_fun: Function, init_val: Any, *, max_iterations: int | None = None
) -> Any:
    """Replace a value by `body_fun(value)` as long as `cond_fun(value)` holds.

    Parameters
    ----------
    cond_fun : callable of the value that gives one bool
    body_fun : callable of the value that gives the next one, of the same shapes and dtypes
    init_val : an array, number, or structure of these
    max_iterations : int, optional
        The most steps. Only with it does the loop have a gradient, for which the values of so many
        steps are kept.

    Returns
    -------
    the last value

    >>> import nbgraph as ng
    >>> ng.while_loop(lambda x: x < 100, lambda x: x * 3, ng.array(1.0))
    array(243., dtype=float32)
    """
    require_function("while_loop", cond_fun, "cond_fun(value)")
    require_function("while_loop", body_fun, "body_fun(value)")
    return stacked_while(
        ("while_loop", cond_fun, body_fun),
        cond_fun,
        lambda value: (body_fun(value), None),
        init_val,
        max_iterations,
    )[0]


def stacked_while(
    key: Any, cond_fun: Function, step: Function, init_val: Any, max_iterations: int | None
) -> tuple[Any, Any]:
    """Run `value, result = step(value)` as long as a test holds; return the last value, and the
    results of all steps, stacked, with zeros after the last step."""
    weak = tuple([type(p.value) in (int, float) for p in places(init_val, "")])
    most = max_iterations
    if most is not None:
        most = require_whole("while_loop: max_iterations", most, 0)

    def run(init: Any) -> Any:
        return _while_node(cond_fun, step, init, most, weak)

    if symbolic(init_val):
        return run(init_val)
    return eagerly("while_loop", (key, most, weak), run, (init_val,), "init_val")


def _while_node(
    cond_fun: Function, step: Function, init: Any, most: int | None, weak: Sequence[bool]
) -> tuple[Any, Any]:
    name, before, results = "while_loop", effects_so_far(), None
    carries = entries_of(name, init, "init_val")

    def call(values: Sequence[Any]) -> tuple[Any, list[Entry]]:
        nonlocal results
        holds = entry_of(name, cond_fun(like(init, values)), "what cond_fun returns")
        own = spec_of(holds)
        if own is not None and (own.shape or own.dtype.kind != "b"):
            raise ArgumentError(
                f"{name}: cond_fun returned {own}; it has to return one bool, as x.sum() > 0"
            )
        value, results = step(like(init, values))
        return value, [*entries_of(name, results, "the result of a step"), holds]

    carries, (variables, heads), rest = _traced_body(name, call, init, carries, weak, [])
    names = [f"carry {k}" for k in range(len(carries))]
    body = Closing(name, variables, before, names, None).over([*heads, *rest])
    ys = len(rest) - 1
    loop = Loop(body.heads, body.variables, len(carries), 0, ys, most, tests=True)
    outputs, split = _outputs(loop, carries, body), len(carries)
    return like(init, outputs[:split]), like(results, outputs[split : split + ys])


@checked
def fori_loop(lower: Any, upper: Any, body_fun: Function, init_val: Any) -> Any:
    """Replace a value by `body_fun(i, value)` for each i from `lower` to `upper`.

    Parameters
    ----------
    lower, upper : int, or arrays of one integer
        The loop has a gradient only where both are Python's.
    body_fun : callable of i, an int64 array, and the value, which gives the next value, of the same
        shapes; floats that the integer i has widened are cast back to the value's dtype
    init_val : an array, number, or structure of these

    Returns
    -------
    the last value

    >>> import nbgraph as ng
    >>> ng.fori_loop(1, 5, lambda i, x: x * i, ng.array(1.0))
    array(24., dtype=float32)
    """
    require_function("fori_loop", body_fun, "body_fun(i, value)")
    if isinstance(lower, (int, np.integer)) and isinstance(upper, (int, np.integer)):
        steps = max(0, int(upper) - int(lower))
        weak = tuple([type(p.value) in (int, float) for p in places(init_val, "")])

        def run(init: Any, first: Any) -> Any:
            def step(carry: Any, _: Any) -> Any:
                i, value = carry
                return (i + 1, _as_floats(value, body_fun(i, value))), None

            return _scan_node(step, (first, init), None, steps, False, (False, *weak))[0][1]

        first = np.int64(lower)
        if symbolic(init_val):
            return run(init_val, first)
        key = "fori_loop", body_fun, steps, weak
        return eagerly("fori_loop", key, run, (init_val, first), "init_val", "lower")

    def step(carry: Any) -> Any:
        i, end, value = carry
        return (i + 1, end, _as_floats(value, body_fun(i, value))), None

    bounds = [_integer("fori_loop", n, v) for n, v in (("lower", lower), ("upper", upper))]
    key, first = ("fori_loop", body_fun), (*bounds, init_val)
    return stacked_while(key, lambda carry: carry[0] < carry[1], step, first, None)[0][2]


def _as_floats(value: Any, result: Any) -> Any:
    """Return a result with its floats cast to the dtypes of the value that it replaces."""
    before = [each.value for each in places(value, "")]
    after = [each.value for each in places(result, "")]
    if len(before) != len(after):
        return result  # the check of structures refuses it, by name

    def cast(old: Any, new: Any) -> Any:
        target, dtype = getattr(old, "dtype", None), getattr(new, "dtype", None)
        if target is None or dtype is None or target == dtype:
            return new
        return library.cast(new, target) if is_float(target) and is_float(dtype) else new

    return like(result, list(map(cast, before, after)))


@checked
def map_parts(f: Function, xs: Any) -> Any:
    """Apply a function to each part of arrays, one after another, and stack the results.

    Parameters
    ----------
    f : callable of the part of xs of one step
    xs : arrays, or a structure of these, whose first axis counts the steps

    >>> import nbgraph as ng
    >>> ng.transforms.map(lambda x: x * x, ng.array([1.0, 2.0]))
    array([1., 4.], dtype=float32)
    """
    require_function("map", f, "f(x)")
    return scanned(("map", f), lambda _, x: (None, f(x)), None, xs, call=("map", *_SCAN[1:]))[1]


map_parts.__wrapped__.__name__ = "map"  # type: ignore[attr-defined]  (errors name it so)

# parts ------------------------------------------------------------------------------------------


def pair(what: str, value: Any, parts: str) -> Any:
    """Return the result of a step; raise ArgumentError unless it is a pair of these `parts`."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        several = isinstance(value, (tuple, list))
        one = "one array" if hasattr(value, "shape") else noun(value)
        got = f"{len(value)} values" if several else one
        raise ArgumentError(f"{what} returned {got}; return a pair: {parts}")
    return value


def _traced_body(
    name: str,
    call: Callable[[Sequence[Any]], tuple[Any, list[Entry]]],
    init: Any,
    carries: list[Entry],
    weak: Sequence[bool],
    parts: Sequence[Spec | None],
) -> tuple[list[Entry], tuple[list[Any], list[Entry]], list[Entry]]:
    """Trace a body; return the first carries, its variables and next carries, its other results.

    First carries that are Python numbers (`weak`) take the dtype of the next carries; the body is
    then traced again.
    """
    labels = [p.path for p in places(init, "carry")]
    for last in (False, True):
        variables = fresh([*map(spec_of, carries), *parts])
        out, rest = call([wrapped((v, 0)) for v in variables])
        require_like(name, "the carry that the body returns", out, init, "the first one")
        expected = [spec_of(entry) for entry in carries]
        heads = [
            entry_of(name, p.value, p.path, own and own.dtype)
            for p, own in zip(places(out, "carry"), expected, strict=True)
        ]
        changed = [
            k
            for k, (head, own) in enumerate(zip(map(spec_of, heads), expected, strict=True))
            if weak[k] and head and own and head.dtype != own.dtype and head.shape == own.shape
        ]
        if last or not changed:
            break
        for k in changed:
            dtype = spec_of(heads[k]).dtype  # type: ignore[union-attr]
            carries[k] = library.astype(wrapped(carries[k]), dtype).entry
    for label, head, own in zip(labels, heads, expected, strict=True):
        require_spec(
            name,
            f"{label} after a step",
            spec_of(head),
            own,
            "the body has to return carries of the shapes and dtypes that it is given: begin with "
            "an array of that shape and dtype, or use .astype in the body",
        )
    return carries, (variables, heads), rest


def _outputs(
    loop: Loop, operands: Sequence[Entry], body: Closed, checkpoint: bool | None = None
) -> list[Any]:
    """Return the outputs of a loop, which runs in segments where its residuals are too large."""
    inputs = [*operands, *body.captured]
    op, tracer = loop_op(loop), recording.get()
    if all(node.specs is not None for node, _ in inputs) and (tracer is None or tracer.records):
        plain = op.typed([spec_of(e) for e in inputs])  # type: ignore[misc]
        op = keeping(loop_op(plain))
        if needs_segments(op, checkpoint):
            own, back = [wrapped(e) for e in inputs], plain.reverse
            return segmented(
                plain, own, lambda f, a, xs, n: _scan_node(f, a, xs, n, back, [False] * len(a))
            )
    return shown(op, inputs)


def _integer(name: str, what: str, value: Any) -> Any:
    if isinstance(value, (int, np.integer)):
        return np.int64(value)
    if value.dtype.kind not in "iu" or value.shape:
        raise ArgumentError(
            f"{name}: {what} has shape {value.shape} and dtype {value.dtype}; give one integer"
        )
    return library.astype(value, "int64")
