"""`KVStore`: the calls of all stores."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from nbgraph.array.apply_scalar_op import writable
from nbgraph.array.core import Array, empty_of
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, DTypeError, IndexingError, ShapeError, noun
from nbgraph.foreign import near
from nbgraph.kvstore.compression import Compression, HalfPrecision, TwoBit
from nbgraph.operator.layout import Layout, layout

Key = int | str
Keys = Sequence[Key]
Lists = Sequence[Sequence[Any]]  # for each key its arrays
Updater = Callable[[Key, Any, Any], None]  # (key, pushed, stored): changes `stored` in place

_COMPRESSIONS: dict[str, type[Compression]] = {"2bit": TwoBit, "16bit": HalfPrecision}


class Spec(NamedTuple):
    """The common layout of all values of a key, and the device of its first one."""

    layout: Layout
    device: Context


class KVStore(ABC):
    """Arrays by key. Keys are integers or strings, of one type in a store.

    Every call takes one key with an array or a list of arrays (one per device), or a list of keys
    with as many of these. Calls return before the work is done, like all operations on arrays; a
    pull sees every earlier push of this worker.
    """

    type: ClassVar[str]  # its name for `create`
    capabilities: ClassVar[frozenset[str]] = frozenset(["optimizer"])
    rank = 0
    num_workers = 1

    def __init__(self) -> None:
        self._keys: dict[Key, Spec] = {}
        self._checked: tuple[list[Key], list[Layout]] = ([], [])  # the last checked list of keys
        self._updater: Updater | None = None
        self._optimizer: Any = None
        self._compression: Compression | None = None

    # implemented by backends --------------------------------------------------------------------

    @abstractmethod
    def _init(self, keys: Keys, values: Sequence[Any]) -> None:
        """Store values of new keys."""

    def _keep(self, keys: Keys, values: Sequence[Any]) -> None:
        """Store values of new keys, which may be the arrays themselves."""
        self._init(keys, values)

    @abstractmethod
    def _pushpull(self, keys: Keys, values: Lists, outs: Lists, priority: int) -> None:
        """Update the stored value of each key with its arrays, then write it to its `outs`."""

    @abstractmethod
    def _pull(self, keys: Keys, outs: Lists, priority: int) -> None:
        """Write the stored value of each key to each of its arrays."""

    # calls --------------------------------------------------------------------------------------

    def init(self, key: Key | Keys, value: Any, *, copy: bool = True) -> None:
        """Store initial values, once for each key; `value` may also be a NumPy array or a number.

        `copy=False`: a store of one process keeps the arrays themselves, if they are on the device
        of its values. Pushes change them, and a pull to them does nothing.

        >>> import nbgraph as ng
        >>> kv = ng.kv.create()
        >>> kv.init(["w", "b"], [ng.zeros((2, 2)), ng.zeros(2)])
        """
        firsts: dict[Key, Any] = {}
        for each, values in self._pairs("init", key, value):
            if each in self._keys:
                raise ArgumentError(
                    f"kv.init: the key {each!r} has a value already; push to it, or use another key"
                )
            other = next(iter(self._keys), each)
            if type(other) is not type(each):
                raise ArgumentError(
                    f"kv.init: the key {each!r} is {noun(each)}, but {other!r} of this store "
                    f"{noun(other)}; use one sort, as their states are saved under str(key)"
                )
            if len(values) != 1:
                raise ArgumentError(
                    f"kv.init: {len(values)} arrays for the key {each!r}; give one, the same for "
                    "all devices"
                )
            firsts[each] = values[0] if isinstance(values[0], Array) else array(values[0])
        (self._init if copy else self._keep)([*firsts], [*firsts.values()])
        for each, first in firsts.items():
            self._keys[each] = Spec(layout(first.shape, first.dtype), first.device)

    def push(self, key: Key | Keys, value: Any, priority: int = 0) -> None:
        """Add up the arrays of a key, and pass the sum to the updater; without one, store it.

        Parameters
        ----------
        key : int, str or list of them
        value : NDArray, or a list with one per device, summed in the order of the list; for a list
            of keys a list of these
        priority : int
            Keys of higher priority use a network first.
        """
        keys, values = self._fitting("push", key, value)
        self._pushpull(keys, values, [()] * len(keys), int(priority))

    def pull(
        self, key: Key | Keys, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> Any:
        """Write the stored value to `out`, or return it in a new array.

        Parameters
        ----------
        key, priority : like those of `push`
        out : NDArray, or a list with one per device; for a list of keys a list of these
        ignore_sparse : bool
            Accepted for code that was written for MXNet; all arrays are dense.
        """
        if out is None:
            out = [self._like(each) for each in _keys_of("pull", key)]
            out = out if _is_list(key) else out[0]
        keys, outs = self._fitting("pull", key, out)
        self._pull(keys, outs, int(priority))
        return out

    def pushpull(self, key: Key | Keys, value: Any, out: Any = None, priority: int = 0) -> Any:
        """Push, then pull, by default into the arrays that were pushed."""
        out = value if out is None else out
        keys, values = self._fitting("push", key, value)
        self._pushpull(keys, values, self._fitting("pull", key, out)[1], int(priority))
        return out

    def broadcast(self, key: Key | Keys, value: Any, out: Any, priority: int = 0) -> None:
        """Store initial values, and pull them to `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(
        self, key: Key, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> Any:
        """Return the rows `row_ids` of the stored value, in that order.

        `out`: an NDArray to write them to.
        """
        if row_ids is None:
            raise ArgumentError("kv.row_sparse_pull: row_ids is missing; give numbers of rows")
        rows = self.pull(key)[row_ids]
        if out is None:
            return rows
        out[...] = rows
        return out

    # updates ------------------------------------------------------------------------------------

    def set_updater(self, updater: Updater) -> None:
        """Call `updater(key, pushed, stored)` at every push, to change the stored value in place.

        >>> import nbgraph as ng
        >>> kv = ng.kv.create()
        >>> kv.init("w", ng.ones(2))
        >>> def double(key, pushed, stored):
        ...     stored += 2 * pushed
        >>> kv.set_updater(double)
        >>> kv.push("w", ng.ones(2))
        >>> kv.pull("w")
        array([3., 3.], dtype=float32)
        """
        if not callable(updater):
            raise ArgumentError(
                f"kv.set_updater: {noun(updater)}; expected a function (key, pushed, "
                "stored) that changes `stored` in place"
            )
        self._updater, self._optimizer = updater, None

    def set_optimizer(self, optimizer: Any) -> None:
        """Apply an optimizer's step at every push, of gradients, to the stored values, the weights.

        Its states lie in the store, next to the weights, under `str(key)`.

        >>> import nbgraph as ng
        >>> kv = ng.kv.create()
        >>> kv.init("w", ng.ones(2))
        >>> kv.set_optimizer(ng.optim.SGD(lr=0.5))
        >>> kv.push("w", ng.ones(2))
        >>> kv.pull("w")
        array([0.5, 0.5], dtype=float32)
        """
        if not callable(getattr(optimizer, "update", None)):
            raise ArgumentError(
                f"kv.set_optimizer: {noun(optimizer)}; expected an optimizer, such as "
                "ng.optim.SGD(lr=0.1)"
            )
        self._updater, self._optimizer = None, optimizer

    def save_optimizer_states(self, path: Any, dump_optimizer: bool = False) -> None:
        """Write the states of the store's optimizer to a file, like `Optimizer.save`.

        `dump_optimizer` is accepted for code that was written for MXNet: numbers of the optimizer
        are part of its states.
        """
        self._require_optimizer("save_optimizer_states").save(path)

    def load_optimizer_states(self, path: Any) -> None:
        """Load the states from a file of `save_optimizer_states`."""
        self._require_optimizer("load_optimizer_states").load(path)

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """Send gradients in fewer bits.

        `{"type": "2bit", "threshold": 0.5}`: each element is sent as the threshold, its negative or
        0; the rest is added to the next push of that key from that device.
        `{"type": "16bit"}`: elements are rounded to float16.
        """
        if not isinstance(compression_params, Mapping):
            raise ArgumentError(
                f"kv.set_gradient_compression: {noun(compression_params)}; expected a "
                'dict such as {"type": "2bit", "threshold": 0.5}'
            )
        options = dict(compression_params)
        kind = options.pop("type", None)
        compression = _COMPRESSIONS.get(kind) if isinstance(kind, str) else None
        if compression is None:
            raise ArgumentError(
                f"kv.set_gradient_compression: type={kind!r}; expected one of "
                f"{', '.join(map(repr, _COMPRESSIONS))}"
            )
        unknown = options.keys() - inspect.signature(compression).parameters
        if unknown:
            names = ", ".join(inspect.signature(compression).parameters) or "none"
            raise ArgumentError(
                f"kv.set_gradient_compression: {kind!r} has no option {min(unknown)!r}, but {names}"
            )
        if not self.is_capable("compression"):
            raise ArgumentError(
                f"kv.set_gradient_compression: a store of kind {self.type!r} sends nothing; use "
                "'device' or a dist one"
            )
        self._compression = compression(**options)

    # workers ------------------------------------------------------------------------------------

    def is_capable(self, capability: str) -> bool:
        """Return whether the store has a capability: "optimizer" (it runs in the store) or
        "compression"."""
        return capability.lower() in self.capabilities

    @property
    def shown(self) -> Any:
        """Whether this worker displays the progress of a training, or the function that displays
        it: `(label, done=, total=)`, or `(label, text=)` at its end."""
        return True

    def barrier(self) -> None:
        """Wait until every worker has called this; a single worker does not wait."""
        return

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __repr__(self) -> str:
        keys = "1 key" if len(self) == 1 else f"{len(self)} keys"
        return f"<KVStore {self.type}: {keys}, worker {self.rank} of {self.num_workers}>"

    # checks -------------------------------------------------------------------------------------

    def _pairs(self, call: str, key: Any, value: Any) -> list[tuple[Key, list[Any]]]:
        """Return each key with the list of its arrays."""
        keys = _keys_of(call, key)
        if not _is_list(key):
            return [(keys[0], _listed(value))]
        if len(set(keys)) < len(keys):
            raise ArgumentError(f"kv.{call}: the keys {keys!r} hold one of them twice")
        if not _is_list(value) or len(value) != len(keys):
            count = f"{len(value)} values" if _is_list(value) else noun(value)
            raise ArgumentError(
                f"kv.{call}: {count} for {len(keys)} keys; give a list with one for each"
            )
        return [(each, _listed(one)) for each, one in zip(keys, value, strict=True)]

    def _fitting(self, call: str, key: Any, value: Any) -> tuple[list[Key], list[list[Any]]]:
        """Return the keys and the arrays of each, checked against the stored values."""
        if type(key) is list and type(value) is list and self._fit_at_once(key, value):
            return [*key], [[one] for one in value]
        pairs = self._pairs(call, key, value)
        for each, values in pairs:
            self._require_key(call, each)
            if not values:
                raise ArgumentError(f"kv.{call}: no array for the key {each!r}; give at least one")
            for one in values:
                self._require_fits(call, each, one)
        keys = [each for each, _ in pairs]
        if type(key) is list:
            self._checked = keys, [self._keys[each].layout for each in keys]
        return keys, [values for _, values in pairs]

    def _fit_at_once(self, keys: list[Any], values: list[Any]) -> bool:
        """Return whether these are the keys of the last checked list, each with an array of the
        stored layout: a fast path without further checks."""
        keys_before, layouts = self._checked
        if keys != keys_before or [getattr(v, "_layout", None) for v in values] != layouts:
            return False
        return not any(v._chunk.locked or v._chunk.leases for v in values)

    def _require_key(self, call: str, key: Key) -> None:
        if key not in self._keys:
            hint = near(str(key), map(str, self._keys))
            hint = hint and f"; {hint}"
            raise IndexingError(
                f"kv.{call}: the key {key!r} has no value{hint}; call kv.init({key!r}, array) first"
            )

    def _require_fits(self, call: str, key: Key, value: Any) -> None:
        own = self._keys[key].layout
        what = "value" if call == "push" else "out"
        if not isinstance(value, Array):
            raise ArgumentError(
                f"kv.{call}: {what} of the key {key!r} is {noun(value)}; expected an NDArray"
            )
        if value.shape != own.shape:
            raise ShapeError(
                f"kv.{call}: {what} of the key {key!r} has shape {value.shape}, its stored value "
                f"{own.shape}; give one of that shape"
            )
        if value.dtype != own.dtype:
            raise DTypeError(
                f"kv.{call}: {what} of the key {key!r} has dtype {value.dtype}, its stored value "
                f"{own.dtype}; cast it: .astype({str(own.dtype)!r})"
            )
        if call == "pull":
            writable("kv.pull", value, f"out of the key {key!r}")

    def _require_optimizer(self, call: str) -> Any:
        if self._optimizer is None:
            raise ArgumentError(f"kv.{call}: the store has no optimizer; call set_optimizer first")
        return self._optimizer

    def _like(self, key: Key) -> Any:
        self._require_key("pull", key)
        return empty_of(*self._keys[key])


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _listed(value: Any) -> list[Any]:
    return list(value) if _is_list(value) else [value]


def _keys_of(call: str, key: Any) -> list[Key]:
    keys: Iterable[Any] = key if _is_list(key) else [key]
    for each in keys:
        if not isinstance(each, (int, str)) or isinstance(each, bool):
            raise ArgumentError(
                f"kv.{call}: key={each!r} is {noun(each)}; expected an integer, a "
                "string or a list of them"
            )
    return list(keys)
