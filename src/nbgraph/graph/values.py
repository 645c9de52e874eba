"""Values of attributes in JSON: as themselves if JSON can hold them exactly, else `{tag: data}`.

Tuples are JSON's arrays. Arrays are in a separate table, each once, with a digest of their bits.
Reading gives an equal value of the same type; numbers keep their bits.

>>> writer = ValueWriter()
>>> writer.value((1, 1.0, True, float("inf"), slice(1, None), np.dtype("int8")))
[1, 1.0, True, {'float': 'inf'}, {'slice': [1, None, None]}, {'dtype': 'int8'}]
>>> ValueReader(writer.arrays).value(_)
(1, 1.0, True, inf, slice(1, None, None), dtype('int8'))
"""

import base64
import binascii
import math
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, FormatError
from nbgraph.graph.constant import Data
from nbgraph.operator.deferred import Slot
from nbgraph.ops.shapes.slicing import Triple

Json = Any  # None, bool, int, float, str, list of Json, dict of str to Json


class ValueWriter:
    """A writer of values to JSON.

    `function` writes a Python function in JSON. `operator` returns an operator's number. `objects`:
    a list for values that JSON cannot hold (for a pickle); None: they raise ArgumentError.

    `arrays`: the table of arrays written so far, as JSON.
    """

    def __init__(
        self,
        function: Callable[[FunctionType], Json] | None = None,
        operator: Callable[[Any], int] | None = None,
        objects: list[Any] | None = None,
    ) -> None:
        self.arrays: list[Json] = []
        self._places: dict[Data, int] = {}
        self._function, self._operator, self._objects = function, operator, objects

    def value(self, value: Any) -> Json:
        """Return a value in JSON; raise ArgumentError if JSON cannot hold it."""
        kind = type(value)
        if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
            return value
        if kind is tuple:
            return [self.value(v) for v in value]
        tag = _TAGS.get(kind) or next((t for k, t in _BASES.items() if isinstance(value, k)), None)
        if tag is not None:
            return {tag: ROWS[tag].write(self, value)}
        if hasattr(value, "asnumpy"):
            return {"array": self.array(Data(value.asnumpy()))}
        if hasattr(value, "scalar") and self._operator is not None:
            return {"operator": self._operator(value)}
        if self._objects is not None:
            self._objects.append(value)
            return {"object": len(self._objects) - 1}
        if isinstance(value, FunctionType) and self._function is not None:
            return {"function": self._function(value)}
        raise ArgumentError(
            f"{value!r} of type {type(value).__name__} cannot go into a file; give numbers, texts, "
            " dtypes, arrays, tuples, lists or dicts of them"
        )

    def array(self, data: Data) -> int:
        """Return the number of an array in the table."""
        place = self._places.get(data)
        if place is None:
            place = self._places[data] = len(self.arrays)
            a = data.array  # in little-endian order, in files
            stored = a if a.dtype.name == "bfloat16" else a.astype(a.dtype.newbyteorder("<"))
            self.arrays.append(
                {
                    "dtype": a.dtype.name,
                    "shape": list(a.shape),
                    "digest": data.digest.hex(),
                    "base64": base64.b64encode(stored.tobytes()).decode("ascii"),
                }
            )
        return place


class ValueReader:
    """A reader of values from JSON, which runs no code. `arrays` is the writer's table, `function`
    and `operator` invert the writer's, `objects` are the pickle's."""

    def __init__(
        self,
        arrays: Sequence[Json] = (),
        function: Callable[[Json], Any] | None = None,
        operator: Callable[[int], Any] | None = None,
        objects: Sequence[Any] = (),
    ) -> None:
        self.arrays = [_read_array(i, row) for i, row in enumerate(arrays)]
        self._tags = {tag: row.read for tag, row in ROWS.items()}
        self._tags["object"] = lambda r, v: objects[_place(v)]
        if function is not None:
            self._tags["function"] = lambda r, v: function(v)
        if operator is not None:
            self._tags["operator"] = lambda r, v: operator(_place(v))

    def value(self, value: Json) -> Any:
        """Return the value; raise FormatError for an unknown tag."""
        if type(value) is list:
            return tuple([self.value(v) for v in value])
        if type(value) is not dict:
            return value
        ((tag, data),) = value.items()
        read = self._tags.get(tag)
        if read is None:
            raise FormatError(
                f"there is a value of kind {tag!r}, which this version does not know; "
                "install a newer nbgraph"
            )
        return read(self, data)

    def data(self, place: Json) -> Data:
        """Return an array of the table."""
        return self.arrays[_place(place)]


def _place(number: Json) -> int:
    """Return an index of a table; raise FormatError for a negative one, valid in Python."""
    if type(number) is not int or number < 0:
        raise FormatError(
            f"{number!r} stands where a number from 0 is expected; the text is damaged"
        )
    return number


def _read_array(place: int, entry: Json) -> Data:
    dtype = as_dtype(entry["dtype"])
    stored = dtype if dtype.name == "bfloat16" else dtype.newbyteorder("<")
    try:
        bits = base64.b64decode(entry["base64"], validate=True)
        data = Data(np.frombuffer(bits, stored).reshape(tuple(entry["shape"])))
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"array {place} is damaged ({error}); write the file again") from None
    if data.digest.hex() != entry["digest"]:
        raise FormatError(f"array {place} is damaged: its digest differs; write the file again")
    return data


def _member(module: str, qualname: str, name: str) -> Enum:
    """Return a member of an enum in a module that is imported already: reading imports none."""
    member: Any = sys.modules.get(module)
    for part in qualname.split("."):
        member = getattr(member, part, None)
    if (
        not (isinstance(member, type) and issubclass(member, Enum))
        or name not in member.__members__
    ):
        raise ArgumentError(
            f"{module}.{qualname}.{name} is not there; import the module that defines it first"
        )
    return member[name]


class Row(NamedTuple):
    """The writer and the reader of values of a class."""

    kind: type
    write: Callable[[ValueWriter, Any], Json]
    read: Callable[[ValueReader, Json], Any]


ROWS: dict[str, Row] = {  # by tag
    # infinities and NaN, which JSON lacks
    "float": Row(float, lambda w, v: repr(v), lambda r, v: float(v)),
    "list": Row(list, lambda w, v: [w.value(x) for x in v], lambda r, v: [r.value(x) for x in v]),
    "dict": Row(
        dict,
        lambda w, v: [[w.value(k), w.value(x)] for k, x in v.items()],
        lambda r, v: {r.value(k): r.value(x) for k, x in v},
    ),
    "triple": Row(Triple, lambda w, v: list(v), lambda r, v: Triple(*v)),
    "slice": Row(
        slice,
        lambda w, v: [w.value(x) for x in (v.start, v.stop, v.step)],
        lambda r, v: slice(*(r.value(x) for x in v)),
    ),
    "ellipsis": Row(type(Ellipsis), lambda w, v: None, lambda r, v: ...),
    "slot": Row(Slot, lambda w, v: v.index, lambda r, v: Slot(_place(v))),
    "device": Row(Context, lambda w, v: [v.device_type, v.device_id], lambda r, v: Context(*v)),
    "data": Row(Data, lambda w, v: w.array(v), lambda r, v: r.data(v)),
    "array": Row(np.ndarray, lambda w, v: w.array(Data(v)), lambda r, v: r.data(v).array),
    "enum": Row(
        Enum,
        lambda w, v: [type(v).__module__, type(v).__qualname__, v.name],
        lambda r, v: _member(*v),
    ),
    "dtype": Row(np.dtype, lambda w, v: v.name, lambda r, v: as_dtype(v)),
    "scalar": Row(np.generic, lambda w, v: w.array(Data(v)), lambda r, v: r.data(v).array[()]),
}
_TAGS: dict[Any, str] = {row.kind: tag for tag, row in ROWS.items()}
_BASES: dict[Any, str] = {
    kind: _TAGS[kind] for kind in (Enum, np.dtype, np.generic)
}  # classes whose subclasses are written the same way
