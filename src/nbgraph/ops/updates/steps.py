"""Steps of optimizers as operators, by MXNet's names and parameters, from a table.

A step returns the new weight and overwrites the states, in training and outside of it. With
`out=weight` the weight is written in place, too. Names that begin with `mp_` are for weights of 16
bits: they update `weight32`, a copy in float32 that is a state, and return its value in the
weight's dtype. Names that begin with `multi_` take the arrays of several weights in sequence.

>>> weight, grad, mom = np.ones(2), np.array([1.0, -1.0]), np.zeros(2)
>>> for _ in range(2):
...     new = sgd_mom_update(weight, grad, mom, lr=0.1, momentum=0.5, out=weight)
>>> weight, new is weight
(array([0.75, 1.25]), True)
>>> mom
array([-0.15,  0.15])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.arrays.unit_op import UpdateOp
from nbgraph.operator.call import carrier_of, recording
from nbgraph.operator.registry import register
from nbgraph.ops.define import as_array, library, whole
from nbgraph.ops.named.calls import applied, composer, documented, read, require_arrays
from nbgraph.ops.updates.table import STEPS, Step
from nbgraph.shape import Shapes, same_shape

_FREE = ("r1", "r2")  # norms: of shape (1,) or ()
_EMPTY = inspect.Parameter.empty


# as operators -----------------------------------------------------------------------------------


class _EqualShapes:
    """The shapes of a step: all arrays except norms have the weight's."""

    def __init__(self, name: str, step: Step) -> None:
        self.name, self.labels = name, step.operands.split()
        self.like = self.labels.index(step.like)

    def infer(self, *specs: Spec, **_: Any) -> Spec:
        """Return the new weight; ShapeError if an array has another shape."""
        shape = specs[0].shape
        for label, spec in zip(self.labels, specs, strict=True):
            if label not in _FREE and spec.shape != shape:
                raise ShapeError(
                    f"{self.name}: {label} has shape {spec.shape} beside weight{shape}; expected "
                    "an array of the weight's shape"
                )
        return specs[self.like]

    def partial(self, shapes: Shapes, outs: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
        """See ArrayOp.infer_partial."""
        own = [s for s, label in zip(shapes, self.labels, strict=True) if label not in _FREE]
        alike, outs = same_shape(own, outs, op=self.name)
        pairs = zip(shapes, self.labels, strict=True)
        return [s if label in _FREE else alike[0] for s, label in pairs], outs


def _operator(name: str, step: Step) -> UpdateOp:
    pairs = zip(step.own.split(), step.operands.split(), strict=True)
    shapes = _EqualShapes(name, step)
    return UpdateOp(
        name,
        shapes.infer,
        step.rule,
        operands=step.operands.split(),
        names={own: label for own, label in pairs if own != "-"},
        states=step.states.split(),
        partial=shapes.partial,
    )


def _apply(op: UpdateOp, step: Step, values: Sequence[Any], p: Any, out: Any, name: Any) -> Any:
    arrays, numbers = dict(zip(op.operands, values, strict=True)), dict(step.numbers(p))
    symbols = composer(*values) is not None
    if not symbols:
        _require(op, arrays)
    numbers = {n: float(v) for n, v in numbers.items() if n in op.mapper.scalar.operands}
    if symbols:
        return applied(op, list(arrays.values()), numbers, name)
    recorder = recording.get()
    if recorder is not None and recorder.traces and op.auxiliary:
        return op(*arrays.values(), out=out, **numbers)
    operands = op.arguments(list(arrays.values()), numbers)
    if not op.auxiliary:
        return op.mapper(*operands, out=out)
    if out is None and "weight32" in op.auxiliary:  # the result is narrower than its source
        make = np.empty_like if carrier_of(values) is None else library.empty_like
        out = make(arrays["weight"])
    return op.mapper(*operands, out=(out, *(arrays[label] for label in op.auxiliary)))[0]


def _require(op: UpdateOp, arrays: Mapping[str, Any]) -> None:
    """Raise ArgumentError if an array is missing, or a state cannot be written."""
    require_arrays(op, arrays.values())
    for label in op.auxiliary:
        if carrier_of((arrays[label],)) is None and not isinstance(arrays[label], np.ndarray):
            raise ArgumentError(
                f"{op.__name__}: the state {label!r} is {noun(arrays[label])}, and "
                "would be updated in a copy; give an array"
            )
    op.infer([Spec.of(as_array(value)) for value in arrays.values()], {})


# as functions -----------------------------------------------------------------------------------


def _text(name: str, step: Step) -> str:
    """Return the documentation of a step."""
    labels = [label for label in step.operands.split() if label not in _FREE]
    written = step.states.replace(" ", ", ") or "none"
    many = step.operands.count(" ") - 1
    states = ", ".join(
        "np.ones((), 'f')" if label in (*_FREE, "weight32") else "np.zeros((), 'f')"
        for label in step.operands.split()[2:]
    )
    more = f", {states}" if many > 0 else ""
    narrow = "e" if name.startswith("mp_") else "f"
    return f"""{step.text}

Parameters
----------
{", ".join(labels)} : arrays of floats, of one shape. Written by each call: {written}.
out : array for the result, such as the weight itself; by default a new one
name : str, optional: of symbols, on which states that are not given become variables

Returns
-------
array of the shape of weight, and of the dtype of {step.like}

Raises
------
ShapeError where shapes differ; ArgumentError for parameters, and for states that are not arrays.

>>> import numpy as np
>>> weight, grad = np.ones((), "{narrow}"), np.ones((), "{narrow}")
>>> round(float({name}(weight, grad{more}, {step.asked})), 4)
{step.example}
"""


def _step(name: str) -> Callable[..., Any]:
    """Return the function of a row, registered under its name."""
    step = STEPS[name]
    op = _operator(name, step)
    word, kind = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = [None if label in op.auxiliary else _EMPTY for label in op.operands]
    last = next((k for k, d in enumerate(defaults) if d is None), len(defaults))
    defaults[last:] = [None] * (len(defaults) - last)
    arrays = [
        inspect.Parameter(label, kind, default=default)
        for label, default in zip(op.operands, defaults, strict=True)
    ]
    rest = [inspect.Parameter(label, word, default=None) for label in ("out", "name")]
    more = inspect.Parameter("given", inspect.Parameter.VAR_KEYWORD)
    signature = inspect.Signature([*arrays, *rest, more])

    def update(*args: Any, **keywords: Any) -> Any:
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            raise ArgumentError(f"{name}: {error}; it takes {name}{signature}") from None
        bound.apply_defaults()
        arguments = bound.arguments
        p = read(name, step.kind, arguments["given"])
        values = [arguments[label] for label in op.operands]
        return _apply(op, step, values, p, arguments["out"], arguments["name"])

    function: Any = update
    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__signature__ = _text(name, step), signature
    function.operands, function.op = op.operands, op
    return register(documented(step.kind)(function), name)


def _several(name: str) -> Callable[..., Any]:
    """Return the function that applies a row's step to several weights."""
    one, step = name.removeprefix("multi_"), STEPS[name.removeprefix("multi_")]
    labels = step.operands.split()

    def update(
        *data: Any, lrs: Any, wds: Any, num_weights: int = 1, out: Any = None, **options: Any
    ) -> list[Any]:
        count = whole(name, "num_weights", num_weights)
        if len(data) == 1 and isinstance(data[0], (list, tuple)):
            data = tuple(data[0])
        lengths = len(data) / len(labels), len(lrs), len(wds), *([] if out is None else [len(out)])
        if any(n != count for n in lengths):
            raise ArgumentError(
                f"{name}: {len(data)} arrays, {len(lrs)} lrs, {len(wds)} wds"
                f"{'' if out is None else f', {len(out)} outs'} for num_weights={count}; expected "
                f"{', '.join(labels)} of each weight in one row, and one of the others for each"
            )
        rows = [data[k : k + len(labels)] for k in range(0, len(data), len(labels))]
        outs = [None] * count if out is None else out
        each = zip(rows, lrs, wds, outs, strict=True)
        function = globals()[one]
        return [function(*row, lr=lr, wd=wd, out=own, **options) for row, lr, wd, own in each]

    function_of: Any = update
    function_of.__name__ = function_of.__qualname__ = name
    function_of.__doc__ = f"""`{one}` of several weights.

Parameters
----------
*data : arrays, those of each weight in a row: {", ".join(labels)}
lrs, wds : a rate and a decay for each weight
num_weights : int, how many there are
out : list of an array for each result; by default new ones
**given : the other parameters of `{one}`

Returns
-------
list of arrays

>>> import numpy as np
>>> arrays = [np.ones(1, "f") for _ in range({2 * len(labels)})]
>>> len({name}(*arrays, lrs=(0.5, 0.25), wds=(0.0, 0.0), num_weights=2))
2
"""
    return register(function_of, name)


_SEVERAL = (
    "multi_sgd_update multi_sgd_mom_update multi_mp_sgd_update multi_mp_sgd_mom_update".split()
)
globals().update({name: _step(name) for name in STEPS})
globals().update({name: _several(name) for name in _SEVERAL})
