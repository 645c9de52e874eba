"""Advanced indexing as operators: what `x[key]` reads, writes and adds to.

`key` is a template and the index arrays are operands; `keys.normal_key` makes both from an index.
The functions also take an index as it is written.
"""

from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.arrays.tiled_op import AddingOp
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.ops.define import Shape, as_array, define_rows, library, public, shape_tuple
from nbgraph.ops.indexing.addressing import selected_shape
from nbgraph.ops.indexing.indexing import add_at, of_result, require_integers
from nbgraph.ops.indexing.keys import Template, normal_key, numpy_index
from nbgraph.ops.indexing.places import gathered, signed
from nbgraph.ops.indexing.scattering import add_tiling, whole_lines
from nbgraph.shape import Array


def selected_by(name: str, shape: Shape, key: Template, indices: tuple[Spec, ...]) -> Shape:
    """Return the shape that a key selects with these index arrays; DTypeError for floats."""
    for i, spec in enumerate(indices):
        require_integers(name, spec, f"index_arrays[{i}]")
    return selected_shape(name, key, shape, [spec.shape for spec in indices])


def require_fit(name: str, value: Shape, selected: Shape) -> None:
    """Raise ShapeError if a value does not broadcast to the selection."""
    lead = len(value) - len(selected)
    surplus, rest = value[: max(lead, 0)], value[max(lead, 0) :]
    near = selected[len(selected) - len(rest) :]
    if any(n != 1 for n in surplus) or any(
        n not in (1, m) for n, m in zip(rest, near, strict=True)
    ):
        raise ShapeError(
            f"{name}: value has shape {value}, the index selects {selected}; give a value that "
            "broadcasts to it"
        )


def _key(x: Any, key: Any, arrays: tuple[Any, ...], name: str) -> tuple[Template, list[Any]]:
    """Return template and arrays; with separate arrays, `key` is already a template."""
    if arrays and not isinstance(key, tuple):
        raise ArgumentError(
            f'{name}: key is {noun(key)}; beside index arrays expected a tuple with "array" in the '
            'place of each, such as ("array",); torch\'s gather is ng.take_along_axis'
        )
    if arrays:
        return key, list(arrays)
    shape = as_array(x).shape
    return normal_key(key, shape if shape is None else tuple(shape), name)


def keyed(op: ArrayOp, operands: tuple[Any, ...], arrays: Any, key: Any, out: Any) -> Any:
    """Apply an operator at an index of its first operand."""
    template, arrays = _key(operands[0], key, arrays, op.__name__)
    return op(*operands, *arrays, key=template, out=out)


# gather and its reverse -------------------------------------------------------------------------


def _gather(x: Array, *arrays: Array, key: Template) -> Array:
    picked: Array = x[numpy_index("gather", key, x.shape, arrays)]
    return picked


_GATHER = UnitOp(
    "gather",
    lambda x, *indices, key: Spec(selected_by("gather", x.shape, key, indices), x.dtype),
    of_result(_gather),
    units=gathered,
    suits=signed,
    operands=("x", "*index_arrays"),
    gradient=lambda g: [
        library.scatter_add(
            g.out_grad, *g.inputs[1:], shape=g.specs[0].shape, key=g.attributes["key"]
        )
    ],
    keeps=("*index_arrays",),
)


def _scatter_infer(value: Spec, *indices: Spec, shape: Shape, key: Template) -> Spec:
    require_fit("scatter_add", value.shape, selected_by("scatter_add", shape, key, indices))
    return Spec(shape, value.dtype)


def _scatter(value: Array, *arrays: Array, shape: Shape, key: Template) -> Array:
    out = np.zeros(shape, value.dtype)
    add_at(out, numpy_index("scatter_add", key, shape, list(arrays)), value)
    return out


_SCATTER_ADD = AddingOp(
    "scatter_add",
    _scatter_infer,
    add_tiling,
    _scatter,
    operands=("value", "*index_arrays"),
    gradient=lambda g: [library.gather(g.out_grad, *g.inputs[1:], key=g.attributes["key"])],
    keeps=("*index_arrays",),
)


@public(_SCATTER_ADD)
def scatter_add(value: Any, *index_arrays: Any, shape: Any, key: Any, out: Any = None) -> Any:
    """Zeros of `shape` with `value` added at `key`, repeated places as often as they are named.

    value : array of the shape of `zeros(shape)[key]`
    shape : of the result
    key, *index_arrays : as those of `gather`
    >>> scatter_add([1, 2, 4], shape=(3,), key=[0, 2, 2])
    array([1, 0, 6])
    """
    shape = shape_tuple("scatter_add", shape)
    if index_arrays:
        template, arrays = key, list(index_arrays)
    else:
        template, arrays = normal_key(key, shape, "scatter_add")
    value = as_array(value)
    if arrays and value.shape is not None and whole_lines(template, shape) is None:
        zeros = library.zeros_like(value, shape=shape)
        return library.index_add(zeros, value, *arrays, key=template, out=out)
    return _SCATTER_ADD(value, *arrays, shape=shape, key=template, out=out)


_TABLE = """
gather(x, *index_arrays, key, out=None): `x[key]` as a copy,
    for any index of NumPy's.

    The gradient is added up where places repeat.
    key : an index; or, beside `index_arrays`, a tuple with "array" in the place of each, and slices
        as (start, stop, step)
    *index_arrays : arrays of ints
    >>> gather([[1, 2], [3, 4]], key=([0, 1], [1, 0]))
    array([2, 3])
    = keyed(_GATHER, (x,), index_arrays, key, out)
"""
define_rows(_TABLE, globals())
