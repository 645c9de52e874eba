"""Resolving the names a scalar function uses, and watching them for later changes.

A watch stores every global, closure cell and module attribute that was read with its object, and
every function outside of the library with its code and defaults, which IPython's autoreload
replaces in place. Each call asks `changed`, which compares identities, so that a redefined helper
or a new value of a constant takes effect at the next call.
"""

from __future__ import annotations

import builtins
import functools
import os
import site
import sysconfig
from collections.abc import Sequence
from types import BuiltinMethodType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.number_types import NumberDtype, NumberType
from nbgraph.tracebacks import OWN

_MISSING = object()
_IMMUTABLE = (
    *(str, int, float, complex, tuple, np.generic, np.dtype, np.finfo, np.iinfo),
    *(NumberType, NumberDtype),
)
_RECREATED = (bool, int, float, complex, str, MethodType, BuiltinMethodType)
_CONTAINERS = (list, tuple, set, frozenset)
_LIBRARY = "nbgraph."  # prefix of the package's modules, whose text never changes
Text = tuple[FunctionType, CodeType, Any, Any]  # a function with its code and defaults
# modules whose functions never change while a program runs: they are not watched
_LASTING = ("math", "cmath", "numpy", "scipy", "builtins", "operator")
BUILTIN_NAMES: dict[str, object] = dict(vars(builtins))


class Contents:
    """The contents of a list, dict, set or array when it was read."""

    __slots__ = ("_owner", "_seen")

    def __init__(self, owner: Any) -> None:
        self._owner, self._seen = owner, _contents(owner)

    @property
    def unchanged(self) -> bool:
        """Whether the contents are still the same."""
        return bool(_contents(self._owner) == self._seen)


def _contents(owner: Any) -> Any:
    """Return a copy of a container for a comparison by `==` that tells 1 from 1.0."""
    if isinstance(owner, np.ndarray):
        return owner.shape, owner.dtype, owner.tobytes()
    if isinstance(owner, dict):
        return _contents(list(owner)), _contents(list(owner.values()))
    if not isinstance(owner, _CONTAINERS):
        return owner
    items = list(owner)
    kinds = list(map(type, items))
    nested = any(issubclass(kind, (*_CONTAINERS, dict, np.ndarray)) for kind in set(kinds))
    return kinds, [*map(_contents, items)] if nested else items


class NotYetDefined(CaptureError):
    """A called function is not defined yet; it may be when the operator is used."""


class Watch:
    """The outside objects a capture depends on."""

    __slots__ = ("attributes", "cells", "globals", "texts")

    def __init__(self) -> None:
        self.globals: dict[tuple[int, str], tuple[dict[str, Any], str, Any]] = {}
        self.cells: dict[int, tuple[CellType, Any]] = {}
        self.attributes: dict[tuple[int, str], tuple[Any, str, Any]] = {}
        self.texts: dict[int, Text] = {}

    def changed(self) -> bool:
        """Return whether a watched name no longer holds the object it held."""
        # loops: calls ask, and a generator takes as long as several rows; of copies, as another
        # thread may trace
        for space, name, value in list(self.globals.values()):
            if space.get(name, _MISSING) is not value:
                return True
        for cell, value in list(self.cells.values()):
            if cell.cell_contents is not value:
                return True
        for owner, name, value in list(self.attributes.values()):
            if not unchanged(getattr(owner, name, _MISSING), value):
                return True
        return rewritten(list(self.texts.values()))

    def include(self, other: Watch) -> None:
        """Depend on what another capture depends on, too."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    def checks(self) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Text]]:
        """Globals, cells and attributes with values, and functions, for a quick comparison."""
        kept = (self.globals, self.cells, self.attributes, self.texts)
        return tuple(tuple(each.values()) for each in kept)  # type: ignore[return-value]

    def read_text(self, fn: FunctionType) -> None:
        """Depend on the text of a function."""
        if not is_own_text(fn):
            self.texts[id(fn)] = fn, fn.__code__, fn.__defaults__, fn.__kwdefaults__

    def read_global(self, space: dict[str, Any], name: str) -> Any:
        """Return the value of a global; KeyError where there is none."""
        value = space[name]
        self.globals[id(space), name] = (space, name, value)
        return value

    def read_cell(self, cell: CellType) -> Any:
        """Return the value of a closure cell; ValueError where it is empty."""
        value = cell.cell_contents
        self.cells[id(cell)] = (cell, value)
        return value

    def read_contents(self, owner: Any) -> None:
        """Depend on the contents of a list, dict, set or array."""
        contents = Contents(owner)
        self.attributes[id(owner), "contents"] = contents, "unchanged", True

    def read_attribute(self, owner: Any, name: str) -> Any:
        """Return `owner.name` and depend on it; AttributeError where there is none."""
        value = getattr(owner, name)
        module = isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] in _LASTING
        if not module and not isinstance(owner, _IMMUTABLE):
            self.attributes[id(owner), name] = (owner, name, value)
        return value


def unchanged(now: Any, then: Any) -> bool:
    """Return whether an attribute is unchanged: each read creates a new property value or method.

    >>> unchanged(float("nan"), float("nan")), unchanged("a".lower, "a".lower), unchanged(1, 1.0)
    (True, True, False)
    """
    if now is then:
        return True
    if type(now) is not type(then) or not isinstance(now, _RECREATED):
        return False
    return bool(now == then or (now != now and then != then))


@functools.cache
def library_paths() -> tuple[str, ...]:
    """Return the path prefixes of Python, of installed packages and of this one."""
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    return ("<frozen", *OWN, *{folder + os.sep for folder in folders})


def is_installed(fn: FunctionType) -> bool:
    """Return whether a function's file is in a library, which a user does not edit."""
    return fn.__code__.co_filename.startswith(library_paths())


def is_own_text(fn: Any) -> bool:
    """Return whether a function belongs to this package."""
    return str(fn.__module__).startswith(_LIBRARY)


def is_of_arrays(fn: Any, caller: Any) -> bool:
    """Return whether a user's function calls one of this package that takes arrays."""
    own = is_own_text(fn) and not fn.__module__.startswith("nbgraph.kernels.")
    return own and not is_own_text(caller)


def rewritten(texts: Sequence[Text]) -> bool:
    """Return whether a function's code or defaults have changed."""
    for fn, code, defaults, named in texts:
        if fn.__code__ is not code or fn.__defaults__ is not defaults:
            return True
        if fn.__kwdefaults__ is not named:
            return True
    return False


class Scope:
    """The names that one function reads outside itself."""

    def __init__(self, fn: FunctionType, watch: Watch) -> None:
        self._fn, self._watch = fn, watch
        watch.read_text(fn)
        self._cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))

    def is_missing(self, name: str) -> bool:
        """Return whether a global name is undefined so far."""
        local = name in self._fn.__code__.co_varnames or name in self._cells
        return not local and name not in self._fn.__globals__ and name not in BUILTIN_NAMES

    def lookup(self, name: str) -> Any:
        """Return the object behind a name; NameError with the name where there is none."""
        if name in self._cells:
            try:
                return self._watch.read_cell(self._cells[name])
            except ValueError:
                raise NameError(name) from None
        try:
            return self._watch.read_global(self._fn.__globals__, name)
        except KeyError:
            pass
        if name in BUILTIN_NAMES:
            return BUILTIN_NAMES[name]
        raise NameError(name)


def names_of(code: CodeType) -> set[str]:
    """Return the globals and attributes that code reads, nested functions included."""
    inner = (names_of(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def plain_function(value: object) -> FunctionType | None:
    """Return the Python function behind a value: itself, or that of a Numba dispatcher or ufunc, or
    of `functools.cache`."""
    if isinstance(value, FunctionType):
        return value
    kept = type(value).__name__ == "_lru_cache_wrapper"
    for path in (("__wrapped__",),) if kept else (("py_func",), ("_dispatcher", "py_func")):
        inner: Any = value
        for part in path:
            inner = getattr(inner, part, None)
        if isinstance(inner, FunctionType):
            return inner
    return None
