"""Operators by name: a table of which `ng`, `ng.nd` and `ng.sym` are views.

A name belongs to its first owner, a module and a qualified name. The same owner may register it
again, as a repeated notebook cell does; another module may not. The names of the library
(`nbgraph.ops`) are reserved from the start; its files load at their first use.
"""

import functools
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.scopes import forkable, load

LIBRARY: Final = "nbgraph.ops"  # has PLACES, INTERNAL, OTHER_SPELLINGS; never imported here

Operator = Callable[..., Any]  # with a __name__: a Mapper, an ArrayOp
_Op = TypeVar("_Op", bound=Operator)


class RegistrationNote(UserWarning):
    """A warning that a name was registered again by its owner; issued once per name."""


class Entry(NamedTuple):
    """The table's row of one name."""

    name: str
    op: Operator
    names: tuple[str, ...]  # all names of this registration; the first is the operator's own
    module: str
    qualname: str

    @property
    def doc(self) -> str:
        """The operator's documentation."""
        return self.op.__doc__ or ""

    @property
    def owner(self) -> str:
        """The owner of the name, as messages write it."""
        return f"{self.module}.{self.qualname}"


_table: dict[str, Entry] = {}
_noted: set[str] = set()
replacements: list[int] = [0]  # how often a name was assigned to another operator
_lock = forkable(threading.Lock())
# names of the library that users may take: users' first operators often have them
EXAMPLES = frozenset({"smooth_l1"})


def register(op: _Op, *names: str, owner: object = None) -> _Op:
    """Register an operator under names, by default its `__name__`; return the operator.

    `owner` is the class or function that the names belong to, by default the operator itself: its
    module and qualified name. The same module may register a name again (one RegistrationNote).
    Raises ArgumentError if a name is not an identifier or belongs to another module.

    >>> import nbgraph as ng
    >>> twice = register(ng.op(lambda x: 2 * x), "twice_of_the_registry")
    >>> find("twice_of_the_registry") is twice
    True
    >>> remove("twice_of_the_registry")
    """
    if not callable(op) or not hasattr(op, "__name__"):
        raise ArgumentError(
            f"register: an operator is needed, not {type(op).__name__} {op!r}; give what @ng.op "
            "or a builder returned"
        )
    names = names or (op.__name__,)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentError(
                f"register: {name!r} is not a name; give an identifier such as 'smooth_l1'"
            )
    source: Any = op if owner is None else owner
    module = str(getattr(source, "__module__", "?"))
    qualname = str(getattr(source, "__qualname__", getattr(source, "__name__", "?")))
    places = library()
    with _lock:
        if module == places.get(names[0]) and names[0] in EXAMPLES & _table.keys():
            return op  # a user took the name before this file of the library was loaded
        for name in names:
            _require_free(name, module, places)
        replaced = [name for name in names if name in _table and _table[name].op is not op]
        # a file of the library runs twice if an interrupt ended its import: no warning
        own = [name for name in replaced if _table[name].module == module]
        anew = [name for name in own if places.get(name) != module]
        for name in names:
            _reset_attribute(name, _table[name].op if name in replaced else vars(np).get(name))
            _table[name] = Entry(name, op, names, module, qualname)
        replacements[0] += len(replaced)
    for name in anew:
        _warn_once(name, module, qualname)
    return op


def _reset_attribute(name: str, op: Any) -> None:
    """Let `ng.<name>` look the name up again, if it holds this operator or function."""
    attributes = vars(sys.modules["nbgraph"])
    if attributes.get(name) is op:
        attributes.pop(name, None)


def _require_free(name: str, module: str, places: Mapping[str, str]) -> None:
    """Raise ArgumentError if another module owns the name."""
    known = _table.get(name)
    owner = known.module if known else places.get(name, module)
    if owner != module and not (name in EXAMPLES and owner == places.get(name)):
        who = known.owner if known else f"the library ({owner})"
        raise ArgumentError(
            f"register: the name {name!r} belongs to {who} and cannot be registered by {module}; "
            "choose another name"
        )


def _warn_once(name: str, module: str, qualname: str) -> None:
    if name in _noted:
        return
    _noted.add(name)
    warnings.warn(
        f"operator {name!r} is registered anew by {module}.{qualname}; what was bound earlier "
        "keeps the old one",
        RegistrationNote,
        stacklevel=3,
    )


def by_name(self: Operator) -> tuple[Any, ...]:
    """Return the pickled form of an operator, as its `__reduce__`: its name; ArgumentError if the
    name belongs to another operator now."""
    if find(self.__name__) is not self:
        raise ArgumentError(f"{self.__name__}: an operator that was replaced is not pickled")
    return find, (self.__name__,)


def registered(*aliases: str) -> Callable[[_Op], _Op]:
    """Return a decorator that registers an operator under its own name and further ones."""
    return lambda op: register(op, op.__name__, *aliases)


def remove(name: str) -> None:
    """Remove a name (and no other name of the same operator); ArgumentError if unknown."""
    with _lock:
        removed = _table.pop(name, None)
    _noted.discard(name)
    if removed is None:
        raise ArgumentError(_missing(name))
    _reset_attribute(name, removed.op)


def library() -> Mapping[str, str]:
    """Return the module of each of the library's names, internal ones too, without loading."""
    places: Mapping[str, str] = _package().PLACES
    return places


@functools.cache
def _package() -> Any:
    return load(LIBRARY)


def lookup(name: str) -> Entry | None:
    """Return the entry of a name, or None; loads the library's file."""
    if name not in _table:
        place = library().get(name)
        if place is not None:
            getattr(load(place), name, None)  # creates functions of table rows
    return _table.get(name)


def entry(name: str) -> Entry:
    """Return the entry of a name; ArgumentError suggests similar names."""
    row = lookup(name)
    if row is None:
        raise ArgumentError(_missing(name))
    return row


def find(name: str) -> Operator:
    """Return the operator of a name; ArgumentError suggests similar names.

    >>> find("add")([1, 2], 3)
    array([4, 5])
    >>> find("maximun")
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: there is no operator 'maximun'; did you mean 'maximum'?
    """
    return entry(name).op


def public(name: str) -> Entry:
    """Return the entry of a public name; ArgumentError for an internal operator.

    >>> public("sum_to")
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: there is no operator 'sum_to'; it is internal to nbgraph.ops...
    """
    if name in _package().INTERNAL:
        raise ArgumentError(_missing(name))
    return entry(name)


def name_of(op: Operator) -> str:
    """Return the name under which an operator is registered; ArgumentError if there is none."""
    for known in (_table.get(op.__name__), *_table.values()):
        if known is not None and known.op is op:
            return known.names[0]
    raise ArgumentError(f"{op.__name__}: this function is not registered; use registry.register")


def is_public(name: str) -> bool:
    """Return whether this is the name of a public operator."""
    return (name in _table or name in library()) and name not in _package().INTERNAL


def names() -> list[str]:
    """Return all public names in order, including those of the library's unloaded files."""
    return sorted({*_table, *library()} - _package().INTERNAL)


def listed() -> list[str]:
    """Return the names that `dir(ng)` shows: one per operator, NumPy's if NumPy has it."""
    return sorted(set(names()) - _package().OTHER_SPELLINGS)


def suggestion(name: str, known: Iterable[str] | None = None) -> str:
    """Return the remedy for an unknown name: the most similar names, or where all are listed."""
    if name in _package().INTERNAL:
        return f"it is internal to {library()[name]}"
    if known is None and name in sys.modules["nbgraph"]._PLACES:
        return f"it is ng.{name}"
    from nbgraph.foreign import remedy

    choices = names() if known is None else known
    return remedy(str(name), choices, otherwise="dir(ng) and dir(ng.nd) list all")


def _missing(name: str) -> str:
    return f"there is no operator {name!r}; {suggestion(name)}"
