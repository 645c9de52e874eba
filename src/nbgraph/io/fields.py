"""The fields of a batch, made from the columns of a table that a user names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io.columns import Field, Names, arrow
from nbgraph.io.protocol import DataDesc


def fields_of(
    schema: Any,
    data: Names | None,
    label: Names | None,
    *,
    missing: Any = None,
    dtype: Any = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    classes: int | Sequence[str] | None = None,
) -> tuple[list[Field], tuple[str, ...]]:
    """Return the fields that a user requests, data first, and the names of the labels.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns of the table.
    data, label : str, sequence or dict, optional
        A name: that column, as an array named "data" or "label". A sequence: columns of numbers
        side by side in one array. A dict: arrays by name, each a column or a sequence.
        `data=None`: all columns that are not labels.
    missing : number or dict by column, optional
        The value that replaces missing ones; None raises an error with row and column.
    dtype : dtype or dict by array, optional
        The dtype of data, or of each array; None: that of the columns.
    shapes : dict by array, optional
        The shape of one sample; by default that of the columns.
    classes : int or sequence of str, optional
        The number of classes of the labels, or their names.

    Raises
    ------
    DataError
        A column is absent, or its type cannot be converted to an array.
    """
    labels = _arrays(label, "label")
    label_columns = [c for columns in labels.values() for c in _listed(columns)]
    for column in label_columns:
        described(schema, column)
    arrays = _arrays(data, "data")
    if data is None:
        rest = [c for c in schema.names if c not in label_columns]
        alone = len(rest) == 1 and described(schema, rest[0])[0]
        arrays = {"data": rest[0] if alone else rest}
    if both := arrays.keys() & labels.keys():
        raise ArgumentError(f"data and label both name an array {min(both)!r}")
    fields = []
    for name, columns in (*arrays.items(), *labels.items()):
        own = dtype.get(name) if isinstance(dtype, Mapping) else None
        if own is None and name in arrays and not isinstance(dtype, Mapping):
            own = dtype
        shape = None if shapes is None else shapes.get(name)
        named = classes if name in labels else None
        fields.append(_field(schema, name, columns, missing, own, shape, named))
    return fields, tuple(labels)


def _field(
    schema: Any, name: str, columns: Any, missing: Any, dtype: Any, shape: Any, classes: Any
) -> Field:
    """Return a field; text labels need the names of their classes, numbers must not have them."""
    named = classes if isinstance(classes, Sequence) else None
    listed = _listed(columns)
    side_by_side = not isinstance(columns, str)
    if not listed:
        raise ArgumentError(f"{name}: no column is named; there are {', '.join(schema.names)}")
    types = [described(schema, each) for each in listed]
    for column, (inner, kind) in zip(listed, types):
        if kind is None and named is None:
            raise DataError(
                f"column {column!r} is text; name the columns of numbers, data=[...], or the "
                "classes of labels, classes=[...]"
            )
        if kind is not None and named is not None:
            raise DataError(f"column {column!r} is of {kind}, not text; give classes={len(named)}")
        if side_by_side and inner:
            raise DataError(
                f"column {column!r} has values of shape {inner}, which cannot stand beside others "
                f"in {name!r}; ask for it by its name alone, or in a dict"
            )
    own = (len(listed),) if side_by_side else types[0][0]
    if shape is not None:
        own = _reshaped(name, own, tuple(shape))
    filled = [missing.get(c) if isinstance(missing, Mapping) else missing for c in listed]
    kinds = [np.dtype(np.int64) if kind is None else kind for _, kind in types]
    desc = DataDesc(name, own, np.result_type(*kinds) if dtype is None else dtype)
    own_classes: Any = classes if named is None else tuple(named)
    return Field(desc, listed, side_by_side, tuple(filled), own_classes)


def described(schema: Any, column: str) -> tuple[tuple[int, ...], np.dtype[Any] | None]:
    """Return shape and dtype of a value of a column; -1 for varying lengths, None for text."""
    if column not in schema.names:
        raise DataError(f"there is no column {column!r}; there are {', '.join(schema.names)}")
    spec = _described(schema.field(column).type)
    if spec is None:
        raise DataError(
            f"column {column!r} is of type {schema.field(column).type}, which makes no array; "
            "leave it out, or cast it to numbers before"
        )
    return spec


def _described(kind: Any) -> tuple[tuple[int, ...], np.dtype[Any] | None] | None:
    pa = arrow()
    types = pa.types
    if isinstance(kind, pa.FixedShapeTensorType):
        return tuple(kind.shape), np.dtype(kind.value_type.to_pandas_dtype())
    if isinstance(kind, pa.BaseExtensionType):
        return _described(kind.storage_type)
    if types.is_dictionary(kind):
        return _described(kind.value_type)
    if types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
        inner = _described(kind.value_type)
        size = kind.list_size if types.is_fixed_size_list(kind) else -1
        return None if inner is None or inner[1] is None else ((size, *inner[0]), inner[1])
    if types.is_binary(kind) or types.is_large_binary(kind):
        return (-1,), np.dtype(np.uint8)
    if types.is_string(kind) or types.is_large_string(kind):
        return (), None
    if types.is_decimal(kind):
        return (), np.dtype(np.float64)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return (), np.dtype(kind.to_pandas_dtype())
    return None


def _reshaped(name: str, own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    if -1 not in own and np.prod(own) != np.prod(shape):
        raise DataError(
            f"{name}: a row has {int(np.prod(own))} values; expected {int(np.prod(shape))}, for "
            f"shape {shape}"
        )
    return shape


def _arrays(asked: Names | None, name: str) -> dict[str, Any]:
    if asked is None:
        return {}
    return dict(asked) if isinstance(asked, Mapping) else {name: asked}


def _listed(columns: Any) -> tuple[str, ...]:
    if not isinstance(columns, (str, Sequence)):
        raise ArgumentError(f"columns={columns!r}; expected names of columns")
    return (columns,) if isinstance(columns, str) else tuple(columns)
