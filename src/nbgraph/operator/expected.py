"""Shapes that a layer's parameters require of its weights: checked at once, or when known.

>>> import numpy as np
>>> w = with_shape(np.ones((4, 3)), (4, None), "FullyConnected", "weight", {"num_hidden": 4})
>>> with_shape(np.ones((7, 3)), (4, None), "FullyConnected", "weight", {"num_hidden": 4})
Traceback (most recent call last):
    ...
nbgraph.errors.ShapeError: FullyConnected: weight has shape (7, 3); expected (4, any): num_hidden=4
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.shape import PartialShape, Shapes, merged, partial_text


def _require(shape: Any, wanted: Any, what: str, asked: str) -> None:
    fits = len(shape) == len(wanted) and all(
        None in (n, m) or n == m for n, m in zip(shape, wanted, strict=True)
    )
    if not fits:
        listed = ", ".join("any" if n is None else str(n) for n in wanted)
        listed = f"{listed}," if len(wanted) == 1 else listed
        shown = partial_text(tuple(shape))
        raise ShapeError(f"{what} has shape {shown}; expected ({listed}): {asked}")


def _infer(x: Spec, *, shape: PartialShape, what: str, asked: str) -> Spec:
    _require(x.shape, shape, what, asked)
    return x


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, shape: PartialShape, what: str, asked: str
) -> tuple[Shapes, Shapes]:
    whole = merged(in_shapes[0], out_shapes[0], what)
    if whole is not None:
        _require(whole, shape, what, asked)
    both = merged(whole, shape, what)
    return (both,), (both,)


def _gradient(g: Gradients) -> list[Any]:
    return [g.out_grad]


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{k}={v!r}" for k, v in parameters.items() if v is not None)


# identity in a graph of unknown shapes; removed once they are known
EXPECTED = ArrayOp(
    "expected_shape", _infer, view=lambda x, **_: x[...], gradient=_gradient, partial=_partial
)


def with_shape(
    value: Any, shape: PartialShape, call: str, label: str, parameters: Mapping[str, Any]
) -> Any:
    """Return an operand of a call whose parameters require this shape; else raise ShapeError.

    A symbol whose shape is not known is one that has to have it.
    """
    own = value.shape if hasattr(value, "shape") else np.shape(value)
    what, asked = f"{call}: {label}", _listed(parameters)
    if own is None:
        return EXPECTED(value, shape=shape, what=what, asked=asked)
    _require(own, shape, what, asked)
    return value
