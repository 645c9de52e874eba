"""Arguments of users' kernels as words of a record.

Numba's compiled code takes one parameter per word of an argument: at least seven for an array. A
record has the layout of every kernel's, two words and addresses first; `Signature.order` maps it to
parameters. Its last words are the launch's shape.
"""

import ctypes
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, DTypeError, noun
from nbgraph.shape import Array

SHAPE_WORDS = 7  # blocks and threads along three axes, bytes of shared memory
_LETTERS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("b", (bool, np.bool_)),  # before int, as bool is a subclass
    ("i", (int, np.integer)),
    ("f", (float, np.floating)),
)

Kind = str | tuple["Kind", ...]  # "i", "f", "b", or a tuple's kinds


class Shape(NamedTuple):
    """The shape of a launch: blocks, threads per block, bytes of dynamic shared memory."""

    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    shared: int = 0


class Operand(NamedTuple):
    """The dtype and rank of an array argument, which is row-major."""

    dtype: np.dtype[Any]
    ndim: int
    writable: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The types that a kernel is compiled for: arrays, then numbers and tuples of numbers.

    >>> s = Signature((Operand(np.dtype("f4"), 1, True),), ("f",))
    >>> s.record([4096], [(10,)], [0.5], Shape((1, 1, 1), (32, 1, 1)))[:6]
    [0, 0, 4096, 10, 4, 10]
    >>> s.order
    (0, 0, 3, 4, 2, 5, 6, 7)
    """

    arrays: tuple[Operand, ...]
    values: tuple[Kind, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The words of the record that are Numba's parameters: for an array zero twice, its size,
        the element's size, the address, extents and steps."""
        at, places = 2 + len(self.arrays), list[int]()
        for k, operand in enumerate(self.arrays):
            own = range(at, at + 2 + 2 * operand.ndim)
            places += [0, 0, own[0], own[1], 2 + k, *own[2:]]
            at = own.stop
        return (*places, *range(at, at + sum(map(_words, self.values))))

    def place(self, value: int) -> int:
        """Return the index of the record's word for a value."""
        at = 2 + sum(3 + 2 * operand.ndim for operand in self.arrays)
        return at + sum(map(_words, self.values[:value]))

    def record(
        self,
        addresses: Sequence[int],
        shapes: Sequence[tuple[int, ...]],
        values: Sequence[Any],
        shape: Shape,
    ) -> list[int]:
        """Return the words of a launch."""
        words = [0, 0, *addresses]
        for operand, extents in zip(self.arrays, shapes, strict=True):
            step, steps = operand.dtype.itemsize, list[int]()
            for extent in reversed(extents):
                steps.append(step)
                step *= extent
            size = step // operand.dtype.itemsize
            words += [size, operand.dtype.itemsize, *extents, *reversed(steps)]
        for value, kind in zip(values, self.values, strict=True):
            words += _packed(value, kind)
        return [*words, *shape.blocks, *shape.threads, shape.shared]

    def arguments(self, record: Sequence[int]) -> list[Any]:
        """Return the function's arguments from a record with addresses of the host."""
        at, arguments = 2 + len(self.arrays), list[Any]()
        for k, operand in enumerate(self.arrays):
            shape = tuple(record[at + 2 : at + 2 + operand.ndim])
            arguments.append(_array(record[2 + k], shape, operand))
            at += 2 + 2 * operand.ndim
        words = iter(record[at:])
        return [*arguments, *(_unpacked(words, kind) for kind in self.values)]

    def samples(self) -> list[Any]:
        """Return sample values of these types, for Numba's type inference."""
        arrays = [_frozen(np.zeros((1,) * o.ndim, o.dtype), o.writable) for o in self.arrays]
        return [*arrays, *(_sample(kind) for kind in self.values)]

    def __str__(self) -> str:
        arrays = [f"{o.dtype}[{', '.join(':' * o.ndim)}]" for o in self.arrays]
        return ", ".join([*arrays, *(_type_text(kind) for kind in self.values)])


def operand(op: str, dtype: np.dtype[Any], ndim: int, *, writable: bool) -> Operand:
    """Return an operand of a kernel; DTypeError for a dtype without a Numba type."""
    if dtype.kind == "V":
        raise DTypeError(
            f"{op}: Numba's kernels take no {dtype}; give x.astype('float32'), or make it an ng.op"
        )
    return Operand(dtype, ndim, writable)


def kind(op: str, name: str, value: Any) -> Kind:
    """Return the kind of a parameter; ArgumentError for one that is not a number.

    >>> kind("f", "size", (2, 3)), kind("f", "scale", 1.0), kind("f", "flag", True)
    (('i', 'i'), 'f', 'b')
    """
    if isinstance(value, tuple):
        return tuple(kind(op, name, part) for part in value)  # pyright: ignore[reportUnknownVariableType]
    for letter, types in _LETTERS:
        if isinstance(value, types):
            return letter
    raise ArgumentError(
        f"{op}: the parameter {name}={value!r} is {noun(value)}; a kernel on a GPU "
        "takes numbers and tuples of numbers"
    )


def _words(kind: Kind) -> int:
    return 1 if isinstance(kind, str) else sum(map(_words, kind))


def _packed(value: Any, kind: Kind) -> list[int]:
    if not isinstance(kind, str):
        return [word for v, k in zip(value, kind, strict=True) for word in _packed(v, k)]
    if kind == "f":
        return list(struct.unpack("<q", struct.pack("<d", value)))
    return [int(value)]


def _unpacked(words: Iterator[int], kind: Kind) -> Any:
    if not isinstance(kind, str):
        return tuple(_unpacked(words, k) for k in kind)
    word = next(words)
    if kind == "f":
        return struct.unpack("<d", struct.pack("<q", word))[0]
    return bool(word) if kind == "b" else word


def _sample(kind: Kind) -> Any:
    return _unpacked(iter([1] * _words(kind)), kind)


def _type_text(kind: Kind) -> str:
    if isinstance(kind, str):
        return {"i": "int64", "f": "float64", "b": "bool"}[kind]
    return f"({', '.join(map(_type_text, kind))})"


def _array(address: int, shape: tuple[int, ...], operand: Operand) -> Array:
    nbytes = int(np.prod(shape, dtype=np.int64)) * operand.dtype.itemsize
    if not nbytes:
        return _frozen(np.empty(shape, operand.dtype), operand.writable)
    memory: Any = (ctypes.c_byte * nbytes).from_address(address)
    return _frozen(np.ndarray(shape, operand.dtype, memory), operand.writable)


def _frozen(array: Array, writable: bool) -> Array:
    array.flags.writeable = writable
    return array
