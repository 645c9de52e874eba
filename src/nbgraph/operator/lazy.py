"""Classes of other libraries: lazy arrays (Dask's, carried by `nbgraph.blocks`), and arrays that
are more than their values."""

import importlib
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.layout import keep

_KEPT = 512  # classes cached


class _Adopted(dict[type[Any], Any]):
    """The carrier of each foreign class, or None; determined once per class."""

    def __missing__(self, kind: type[Any]) -> Any:
        carrier = None
        if kind.__module__.startswith("dask.array") and kind.__name__ == "Array":
            carrier = importlib.import_module("nbgraph.blocks.carrier").Blocks
        return keep(self, kind, carrier, _KEPT)


adopted = _Adopted()


class _Foreign(dict[type[Any], bool]):
    """Whether a class carries out ufuncs itself, because its values alone would lose masks, units
    or labels; determined once per class."""

    def __missing__(self, kind: type[Any]) -> bool:
        own = getattr(kind, "__array_ufunc__", None)
        is_foreign = own is not None and own is not np.ndarray.__array_ufunc__
        is_foreign = is_foreign or any(c.__module__.startswith("numpy.ma") for c in kind.__mro__)
        ours = getattr(kind, "__nbgraph_priority__", None) is not None
        is_foreign = is_foreign and not ours and adopted[kind] is None
        return keep(self, kind, is_foreign, _KEPT)


foreign = _Foreign()


def refuse_foreign(op: str, name: str, value: Any) -> None:
    """Raise ArgumentError for a value with a mask or a unit, and for a sparse matrix."""
    kind = type(value)
    if hasattr(kind, "tocsr"):
        raise ArgumentError(
            f"{op}: operand {name!r} is {noun(value)}, a sparse matrix; give x.toarray(), or take "
            "products by ng.dot"
        )
    if foreign[kind] and (issubclass(kind, np.ndarray) or hasattr(kind, "magnitude")):
        raise ArgumentError(
            f"{op}: operand {name!r} is {noun(value)}, whose mask or unit would be lost; give "
            "its values, as x.filled(0), x.value or np.asarray(x)"
        )


def is_lazy(value: Any) -> bool:
    """Return whether a value is an array that computes later, block by block."""
    return adopted[type(value)] is not None
