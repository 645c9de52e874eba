"""Views of the registry: `ng.nd` and `ng.sym` have operators as attributes and lift arguments."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from nbgraph.errors import MissingName
from nbgraph.operator import registry
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.elementwise import Documentation

GROUPS = ("linalg", "random", "contrib")
LOOPS = ("foreach", "while_loop", "cond")
Call = tuple[registry.Operator, tuple[Any, ...], dict[str, Any]]
Lift = Callable[[registry.Operator, tuple[Any, ...], dict[str, Any]], Call]
_signatures: WeakKeyDictionary[Any, inspect.Signature] = WeakKeyDictionary()


class Lifted:
    """An operator whose arguments are first lifted into one kind of array.

    Everything else, including signature and documentation, is the operator's own.
    """

    def __init__(self, op: registry.Operator, lift: Lift, prefix: str) -> None:
        self.__wrapped__ = op
        self._lift, self._prefix = lift, prefix
        self.__name__ = op.__name__
        self.__qualname__ = f"{prefix}.{op.__name__}"
        self.__module__ = op.__module__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the operator to the lifted arguments."""
        op, args, kwargs = self._lift(self.__wrapped__, args, kwargs)
        return op(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return f"<{self.__qualname__}{self.__signature__}>"


Lifted.__doc__ = Documentation(  # type: ignore[assignment]
    Lifted.__doc__, lambda op: op.__wrapped__.__doc__
)


def signature_of(op: Any) -> inspect.Signature:
    """Return `inspect.signature` of an operator, from a cache."""
    signature = _signatures.get(op)
    if signature is None:
        signature = _signatures[op] = inspect.signature(op)
    return signature


def operand_names(op: Any) -> tuple[str, ...]:
    """Return the names of an operator's operands, except variadic ones."""
    if isinstance(op, Mapper):
        return op.scalar.operands
    array_op = getattr(op, "op", op)
    return tuple(n for n in getattr(array_op, "operands", ("x",)) if not n.startswith("*"))


class Group:
    """Operators with a common prefix, by the rest of their names: `ng.nd.linalg.det`.

    `contrib` has MXNet's loops and branches, `foreach`, `while_loop` and `cond`, and all operators.
    """

    def __init__(self, space: Namespace, name: str) -> None:
        self._space, self._name = space, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._name != "contrib":
            return getattr(self._space, f"{self._name}_{name}")
        if name in LOOPS:
            return getattr(importlib.import_module("nbgraph.autograd.control.contrib"), name)
        return getattr(self._space, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._space, self._name)

    def __dir__(self) -> list[str]:
        if self._name == "contrib":
            return sorted({*LOOPS, *dir(self._space)})
        start = f"{self._name}_"
        return [n.removeprefix(start) for n in dir(self._space) if n.startswith(start)]

    def __repr__(self) -> str:
        return f"<{self._space!r} under {self._name}_>"


class Namespace:
    """Operators as attributes: a view of the registry, in which new names appear immediately.

    `lift(op, args, kwargs)` returns the call with lifted arguments; without it an attribute is the
    operator itself. A missing name raises AttributeError with similar names.

    >>> space = Namespace("ng.plain")
    >>> space.add(1, 2)
    np.int64(3)
    >>> space.maximun
    Traceback (most recent call last):
    nbgraph.errors.MissingName: ng.plain has no operator 'maximun'; did you mean 'maximum'?
    """

    NOUNS: ClassVar[Mapping[str, str]] = {}  # attributes besides operators: their names in ng

    def __init__(self, prefix: str, lift: Lift | None = None, kind: type[Lifted] = Lifted) -> None:
        self._prefix, self._lift, self._kind = prefix, lift, kind
        self._lifted: dict[str, Lifted] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # protocols ask for these; never an operator
            raise AttributeError(f"{self._prefix} has no attribute {name!r}")
        if name in self.NOUNS:
            return getattr(importlib.import_module("nbgraph"), self.NOUNS[name])
        if name in GROUPS:
            group = self.__dict__[name] = Group(self, name)
            return group
        entry = registry.lookup(name)
        if entry is None:
            message = f"{self._prefix} has no operator {name!r}; {registry.suggestion(name)}"
            raise MissingName(message, name=name)
        if self._lift is None:
            if name in registry.library():  # the library's names keep their objects
                self.__dict__[name] = entry.op
            return entry.op
        first = entry.names[0]  # aliases are one object
        value = self._lifted.get(first)
        if value is None or value.__wrapped__ is not entry.op:  # registered again
            value = self._lifted[first] = self._kind(entry.op, self._lift, self._prefix)
        return value

    def Custom(self, *args: Any, op_type: str, **kwargs: Any) -> Any:
        """Call the registered operator of this name, as MXNet's scripts do."""
        return getattr(self, op_type)(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._prefix, self._lift, self._kind)

    def __dir__(self) -> list[str]:
        return sorted({*registry.names(), *self.NOUNS})

    def __repr__(self) -> str:
        return f"<{self._prefix}: {len(registry.names())} operators>"
