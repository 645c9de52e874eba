"""The values that a function depends on besides its arguments, compared by identity.

The names in a function's code lead to globals, closure cells, attributes of objects and modules,
and to other functions, whose names count as well. Each is remembered with its value; `changed`
compares. Of objects and modules only attributes with names from the code are watched, of containers
every element. Functions of installed packages are assumed constant. Registering an operator again
changes every function, as its users are not known.
"""

import dis
import functools
import sys
from collections.abc import Iterable, Mapping
from operator import is_not
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.graph.symbol import Symbol
from nbgraph.kernels.capture.names import Text, Watch, library_paths, rewritten
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.registry import replacements

_MISSING = object()
_OF_MAKING = {"__init__", "__new__", "__repr__", "__str__", "__reduce__", "__del__"}
_GLOBAL_STEPS = {"LOAD_GLOBAL", "LOAD_NAME"}
_LEAVES = (Array, Symbol, ArrayOp, np.ndarray, np.generic, np.dtype, str, bytes, int, float)


class Content:
    """The values that a function, and the objects among its arguments, depend on.

    >>> scale = 2
    >>> def double(x):
    ...     return scale * x
    >>> double.__globals__["scale"] = 2
    >>> content = Content([double])
    >>> content.changed()
    False
    >>> double.__globals__["scale"] = 3
    >>> content.changed()
    True
    """

    __slots__ = ("_cells", "_codes", "_lists", "_names", "_ops", "_replaced", "_seen", "_spaces")

    def __init__(self, roots: Iterable[Any]) -> None:
        roots = list(roots)
        self._replaced = replacements[0]
        self._names: set[str] = {"__call__"}
        while True:
            count = len(self._names)
            self._forget()
            for root in roots:
                self._walk(root)
            if len(self._names) == count:  # else new names may be attributes of earlier objects
                break
        self._seen.clear()

    def _forget(self) -> None:
        self._seen: dict[int, Any] = {}
        self._spaces: list[tuple[Mapping[str, Any], str, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._codes: list[Text] = []
        self._lists: list[tuple[Any, tuple[Any, ...]]] = []
        self._ops: list[tuple[Mapper, Watch]] = []

    def changed(self) -> bool:
        """Return whether one of the values has been replaced by another object."""
        if replacements[0] != self._replaced:
            return True
        for space, name, value in self._spaces:
            if space.get(name, _MISSING) is not value:
                return True
        for cell, value in self._cells:
            if _content(cell) is not value:
                return True
        if rewritten(self._codes):
            return True
        for container, items in self._lists:
            now = _items(container)
            if len(now) != len(items) or any(map(is_not, now, items)):
                return True
        return any(op.scalar.watch is not watch or watch.changed() for op, watch in self._ops)

    # finding the values -----------------------------------------------------------------------

    def _walk(self, root: Any) -> None:
        pending = [root]
        while pending:
            value = pending.pop()
            if value is None or isinstance(value, _LEAVES) or id(value) in self._seen:
                continue
            if is_lazy(value):
                continue
            self._seen[id(value)] = value
            pending += self._parts(value)

    def _parts(self, value: Any) -> list[Any]:
        """Remember the parts of a value that must not change, and return those to walk next."""
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, Mapper):
            self._ops.append((value, value.scalar.watch))
            return []
        if isinstance(value, functools.partial):
            return [value.func, *value.args, *value.keywords.values()]
        if isinstance(value, (list, tuple, dict, set, frozenset)):
            items = _items(value)
            if not isinstance(value, (tuple, frozenset)):
                self._lists.append((value, items))
            return list(items)
        if isinstance(value, (property, staticmethod, classmethod)):
            inner = value.fget if isinstance(value, property) else value.__func__
            return [inner]
        return self._object(value)

    def _function(self, fn: FunctionType) -> list[Any]:
        if _installed(fn.__code__.co_filename):
            return [v for cell in fn.__closure__ or () if callable(v := _content(cell))]
        self._codes.append((fn, fn.__code__, fn.__defaults__, fn.__kwdefaults__))
        names: set[str] = set()
        _names_of(fn.__code__, self._names, names)
        parts = [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
        space = fn.__globals__
        for name in names:
            parts.append(self._named(space, name))
        for cell in fn.__closure__ or ():
            value = _content(cell)
            self._cells.append((cell, value))
            parts.append(value)
        return parts

    def _named(self, space: Mapping[str, Any], name: str) -> Any:
        value = space.get(name, _MISSING)
        self._spaces.append((space, name, value))
        return value

    def _object(self, value: Any) -> list[Any]:
        """Return attributes whose names are used, of the object and of its classes."""
        inner = getattr(type(value), "traced_function", None)  # a jit function
        if inner is not None:
            return [value.traced_function]
        parts: list[Any] = []
        spaces: list[Any] = [vars(value)] if hasattr(value, "__dict__") else []
        if not isinstance(value, ModuleType):
            classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
            spaces = [] if isinstance(value, type) else spaces
            spaces += [vars(c) for c in classes if not _fixed(c.__module__)]
        elif _fixed(value.__name__):
            return []
        for space in spaces:
            callable_class = isinstance(value, type)  # a call creates an object
            used = [
                n
                for n in space
                if n in self._names or _is_implied(n, space[n], callable_class=callable_class)
            ]
            parts += [self._named(space, name) for name in used]
        return parts


def _items(container: Any) -> tuple[Any, ...]:
    if isinstance(container, dict):
        return (*container, *container.values())
    return tuple(container)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _names_of(code: CodeType, names: set[str], of_globals: set[str]) -> None:
    """Add all names that code uses to `names`, and those of globals among them to `of_globals`."""
    names.update(code.co_names)
    of_globals.update(
        step.argval for step in dis.get_instructions(code) if step.opname in _GLOBAL_STEPS
    )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _names_of(constant, names, of_globals)


def _is_implied(name: str, value: Any, *, callable_class: bool) -> bool:
    """Return whether `name` is a method that code uses implicitly: an operator or a call."""
    if not (name.startswith("__") and name.endswith("__") and isinstance(value, FunctionType)):
        return False
    return callable_class or name not in _OF_MAKING


@functools.cache
def _installed(filename: str) -> bool:
    return filename.startswith(library_paths())


@functools.cache
def _fixed(module: str) -> bool:
    """Return whether a module's content is constant while a program runs."""
    if module.partition(".")[0] in sys.stdlib_module_names | {"nbgraph", "numpy"}:
        return module != "__main__"
    path = getattr(sys.modules.get(module), "__file__", None)
    return path is not None and _installed(path)
