"""`ng.nd`: the library, and what users register, for arguments that become NDArrays."""

import inspect
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.array import files
from nbgraph.array.core import Array, lift
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.errors import ShapeError
from nbgraph.operator.layout import keep
from nbgraph.operator.namespace import Call, Namespace, operand_names, signature_of
from nbgraph.ops.define import library
from nbgraph.ops.named.keywords import by_names, in_words

_NUMBERS = {bool, int, float, str, type(None), type}
_PASSED = Array, Context, np.dtype
_OF_NODES = frozenset(("name", "__layout__"))  # of MXNet: names and layouts of nodes
_MOST = 256  # kinds of calls in an operator's cache


class _Slot:
    """A placeholder for a value of which only the kind is known; all other uses raise."""

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("the value decides")

    def __eq__(self, other: object) -> bool:
        return self is other or (other != () and bool(self))  # () is a kind of its own


class _Order(NamedTuple):
    """How to rewrite a call: the index of each new argument among the old ones and constants."""

    op: Any
    places: list[int]
    named: dict[str, int]
    constants: tuple[Any, ...]


_PASSED_ON: WeakKeyDictionary[Any, dict[Any, _Order | None]] = WeakKeyDictionary()


def lifted(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return a call, which may use MXNet's names, with its operands as NDArrays.

    NumPy arrays become NDArrays in all arguments, also in lists of arrays. The name and the layout
    that MXNet's layers give nodes are ignored.
    """
    if not (_OF_NODES.isdisjoint(kwargs) or isinstance(kwargs.get("name"), int | float)):
        kwargs = {k: v for k, v in kwargs.items() if k not in _OF_NODES}
    kinds = _kinds(op, args, kwargs)
    known = {} if kinds is None else _PASSED_ON.setdefault(op, {})
    order = known.get(kinds)
    if order is not None:
        values = (*args, *kwargs.values(), *order.constants)
        named = {name: values[k] for name, k in order.named.items()}
        return order.op, tuple([values[k] for k in order.places]), named
    call, (op, args, kwargs) = (op, args, kwargs), in_words(op, args, kwargs)
    name, signature = op.__name__, signature_of(op)
    lacks_out = inspect.isfunction(op) and "out" not in signature.parameters
    if lacks_out and kwargs.get("out") is not None:
        return _written, (op, *args), kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return op, args, kwargs  # the operator itself raises
    operands = operand_names(op)
    arguments, optional = bound.arguments, {n: p.default for n, p in signature.parameters.items()}
    names = [
        n for n, v in arguments.items() if n in operands and not (v is None and optional[n] is None)
    ]
    for n, value in zip(names, lift(name, names, [arguments[n] for n in names]), strict=True):
        arguments[n] = value
    for n, value in arguments.items():
        if n not in operands and n != "out":  # a copy would be written, and lost
            arguments[n] = _several(name, n, value)
    other = op, bound.args, bound.kwargs
    if kinds is not None and kinds not in known:
        keep(known, kinds, _order(call, other), _MOST)
    return other


def _order(call: Call, other: Call) -> _Order | None:
    """Return how `call` became `other`, or None if that may differ for other calls of its kind."""
    op, args, kwargs = call
    values = (*args, *kwargs.values())
    results = sources = [*other[1], *other[2].values()]
    if by_names(op):  # the rewriting depends on names only: apply it to placeholders
        slots = [v if type(v) is bool else _Slot() for v in values]
        named = dict(zip(kwargs, slots[len(args) :], strict=True))
        try:
            again, placed, options = in_words(op, tuple(slots[: len(args)]), named)
            own = signature_of(again).bind(*placed, **options)
        except Exception:  # it depends on values after all
            return None
        sources = [*own.args, *own.kwargs.values()]
        if again is not other[0] or [*own.kwargs] != [*other[2]]:
            return None
    else:
        slots = [v if isinstance(v, Array) else _Slot() for v in values]
    numbers = {id(slot): k for k, slot in enumerate(slots) if type(slot) is not bool}
    if len(numbers) < sum(type(slot) is not bool for slot in slots):
        return None
    if len(sources) != len(results):
        return None
    places, constants = list[int](), list[Any]()
    for source, result in zip(sources, results, strict=True):
        place = numbers.get(id(source))
        if place is None:
            if result is not source or isinstance(result, Array) or not _is_plain(result):
                return None
            place = len(values) + len(constants)
            constants.append(result)
        elif values[place] is not result:
            return None
        places.append(place)
    count = len(other[1])
    return _Order(other[0], places[:count], dict(zip(other[2], places[count:])), tuple(constants))


def _is_plain(value: Any) -> bool:
    """Return whether a value needs no conversion."""
    kind = type(value)
    return kind in _NUMBERS or issubclass(kind, _PASSED) or _are_sizes(value)


def _are_sizes(value: Any) -> bool:
    return type(value) is tuple and all(type(size) is int for size in value)


def _kinds(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a key that is equal for calls with the same rewriting, or None where it is unknown:
    the kinds of arguments and booleans, and where they matter the values and shapes of arrays."""
    kinds: list[Any] = [len(args)]
    by_name = by_names(op)
    for value in (*args, *kwargs.values()):
        kind: Any = type(value)
        if not (kind in _NUMBERS or issubclass(kind, _PASSED)):
            if not _are_sizes(value):
                return None
            kind = tuple, bool(value)  # MXNet's `axis=()` is all axes
        kinds.append(value if kind is bool else kind)
        if not by_name:
            value = repr(value) if kind is float else value  # 0.0 and -0.0 are equal
            kinds.append(value.shape if isinstance(value, Array) else value)
    kinds += kwargs
    return tuple(kinds)


def _written(op: Any, *args: Any, out: Any, **kwargs: Any) -> Any:
    """Write the result of an operator to `out`, which has the shape and dtype for draws without a
    size."""
    parameters = signature_of(op).parameters
    if "size" in parameters and len(args) <= [*parameters].index("size"):
        kwargs = {"size": out.shape, "dtype": out.dtype, **kwargs}
    op, args, kwargs = lifted(op, args, kwargs)
    results = op(*args, **kwargs)
    values, targets = (v if isinstance(v, (list, tuple)) else [v] for v in (results, out))
    shapes, needed = ([getattr(v, "shape", None) for v in each] for each in (targets, values))
    if shapes != needed:
        raise ShapeError(f"{op.__name__}: out has {shapes}, needed are {needed}; give such arrays")
    for value, target in zip(values, targets, strict=True):
        library.copy(value, out=target)
    return out


def _several(op: str, name: str, value: Any) -> Any:
    """Return an argument that is not an operand with NumPy arrays in it as NDArrays."""
    if isinstance(value, np.ndarray):
        return lift(op, [name], [value])[0]
    if isinstance(value, (list, tuple)) and any(isinstance(v, np.ndarray) for v in value):
        labels = [f"{name}[{i}]" for i in range(len(value))]
        return type(value)(lift(op, labels, list(value)))
    return value


class ArrayNamespace(Namespace):
    """Operators over arrays and array creation, by MXNet's names."""

    NOUNS: ClassVar = {
        "NDArray": "NDArray",
        "array": "array",  # in the list of names; defined below with MXNet's parameters
        "from_dlpack": "from_dlpack",
        "from_numpy": "asarray",
        "load": "load",  # the same
        "save": "save",
        "waitall": "waitall",
    }

    @staticmethod
    def array(source_array: Any, ctx: Any = None, dtype: Any = None) -> Array:
        """Return an array of these values, on a device, in MXNet's dtype.

        Parameters
        ----------
        source_array : numbers, nested lists of them, a NumPy array or an NDArray, of any shape
        ctx : Context, by default the host
        dtype : dtype or its name; by default that of an NDArray, and float32 for all else

        Raises
        ------
        ShapeError, DTypeError as `ng.array`

        >>> import nbgraph as ng
        >>> ng.nd.array([1, 2])
        array([1., 2.], dtype=float32)
        """
        own = source_array.dtype if isinstance(source_array, Array) else "float32"
        return array(source_array, dtype or own, device=ctx)

    @staticmethod
    def load(fname: Any, **options: Any) -> Any:
        """Return what `save` wrote as `ng.load` does, but one array as a list of one, as MXNet.

        Parameters
        ----------
        fname : path of the file
        options : those of `ng.load`

        Returns
        -------
        list, or dict by name, of NDArrays with the shapes and dtypes that they had

        Raises
        ------
        FormatError (a ValueError) where `ng.load` cannot read the file

        >>> import tempfile, nbgraph as ng
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ng.nd.save(f"{folder}/weights", ng.ones(2))
        ...     ng.nd.load(f"{folder}/weights")
        [array([1., 1.], dtype=float32)]
        """
        loaded = files.load(fname, **options)
        return [loaded] if isinstance(loaded, Array) else loaded


nd = ArrayNamespace("ng.nd", lifted)
