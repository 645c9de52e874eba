"""`Module`: a function with parameters."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, Never

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array as array_of
from nbgraph.autograd.jit import jit
from nbgraph.device import Context
from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import (
    ArgumentError,
    DTypeError,
    MissingName,
    NbgraphError,
    ShapeError,
    require_whole,
)
from nbgraph.foreign import MODULES, remedy
from nbgraph.nn.state import (
    Deferred,
    Initialiser,
    collecting,
    fits,
    initialised,
    mark,
    moved,
    outside,
    require_arrays,
    restore,
    write,
)
from nbgraph.optim import files
from nbgraph.picture import Text, columns
from nbgraph.settings import config
from nbgraph.signatures import checked

_changes = [0]  # counts assignments of arrays and modules to attributes of any module
_PLAIN = (Array, Deferred)


class Module:
    """A function of arrays with parameters, written as `forward`.

    Attributes that are floating arrays are parameters; modules, and lists, tuples and dicts of
    them, are submodules. Attributes with a leading underscore are neither. Names in
    `statistics_named` are arrays that are saved but not trained. `ng.autograd.is_training()` says
    whether a call is in training.

    Assigning a list or NumPy array to a parameter writes its array. This raises ShapeError for
    another shape, DTypeError for integers in an NDArray, TypeError for other values; None, modules
    and structures of arrays replace the parameter.

    >>> import nbgraph as ng
    >>> class Line(ng.nn.Module):
    ...     def __init__(self):
    ...         self.slope, self.offset = ng.ones(1), ng.zeros(1)
    ...
    ...     def forward(self, x):
    ...         return self.slope * x + self.offset
    >>> line = Line()
    >>> line(ng.array([2.0, 3.0]))
    array([2., 3.], dtype=float32)
    >>> list(line.parameters())
    ['slope', 'offset']
    """

    statistics_named: ClassVar[tuple[str, ...]] = ()
    _compiled: Any = None
    _seen = -1

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("nbgraph."):
            if "__init__" in vars(cls):
                cls.__init__ = checked(cls.__init__)
            elif cls.__doc__ and "__doc__" in vars(cls):
                cls.__doc__ = _with_parameters(cls.__doc__, cls.__mro__[1:])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result of a call; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(); write one")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, or its traced form after `hybridize`."""
        if self._compiled is None:
            try:
                return self.forward(*args, **kwargs)
            except (AttributeError, IndexError, TypeError) as error:
                if not isinstance(error, NbgraphError):
                    require_arrays(self, args)
                raise
        if self._seen != _changes[0]:
            return self._begin(args, kwargs)
        out, values = self._compiled(*args, **kwargs)
        self.apply_statistics(values)
        return out

    def __getattr__(self, name: str) -> Never:
        hint = "" if name.startswith("_") else remedy(name, vars(self), MODULES)
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise MissingName(f"{text}; {hint}" if hint else text, name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            former = vars(self).get(name)
            if isinstance(former, _PLAIN) and _trains(former):
                value = _replacement(f"{type(self).__name__}.{name}", former, value)
            if isinstance(value, _STRUCTURE) or isinstance(former, _STRUCTURE):
                _changes[0] += 1
            if name not in self.statistics_named:
                for _, array in _within("", value):
                    mark(array)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        _changes[0] += 1

    # contents ---------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        """Return the trained arrays by dotted names; a shared array has its first name.

        Raise ArgumentError if a shape is still unknown.
        """
        arrays = {name: array for name, array, trained in self._named_arrays() if trained}
        for name, array in arrays.items():
            if isinstance(array, Deferred):
                raise ArgumentError(
                    f"{type(self).__name__}: the shape of {name!r} is not known before the first "
                    "call; call prepare(x) with data of the right shape, or give the sizes"
                )
        return arrays

    def statistics(self) -> dict[str, Any]:
        """Return the arrays that are saved but not trained, by dotted names."""
        return {
            name: array
            for name, array, trained in self._named_arrays()
            if not trained and not isinstance(array, Deferred)
        }

    def modules(self) -> dict[str, Module]:
        """Return the module itself, named "", and all submodules by dotted names."""
        by_name: dict[str, Module] = {"": self}
        for name, value in _attributes(self):
            for path, part in _within(name, value):
                if isinstance(part, Module) and part not in by_name.values():
                    by_name |= {
                        f"{path}.{inner}" if inner else path: module
                        for inner, module in part.modules().items()
                    }
        return by_name

    def _named_arrays(self) -> Iterator[tuple[str, Any, bool]]:
        """Yield arrays by dotted names, and whether each is trained."""
        seen: set[int] = set()
        for path, module in self.modules().items():
            for name, value in _attributes(module):
                for inner, array in _within(name, value):
                    if isinstance(array, _PLAIN) and id(array) not in seen and _trains(array):
                        seen.add(id(array))
                        trained = inner not in module.statistics_named
                        yield f"{path}.{inner}" if path else inner, array, trained

    def _arrays(self) -> Iterator[tuple[str, Any]]:
        return ((name, array) for name, array, _ in self._named_arrays())

    def _deferred(self) -> bool:
        return any(isinstance(array, Deferred) for _, array in self._arrays())

    # creation of arrays -----------------------------------------------------------------------

    def declare(self, shape: tuple[int | None, ...], init: Initialiser) -> Any:
        """Return a new parameter; `shape` may contain None for extents that `settle` sets later."""
        name = f"{type(self).__name__}: an extent"
        extents = tuple([require_whole(name, n, 0) for n in shape if n is not None])
        return initialised(extents, init) if len(extents) == len(shape) else Deferred(shape, init)

    def settle(self, **shapes: tuple[int, ...]) -> None:
        """Create parameters whose shapes were unknown; raise ShapeError if an array has another
        shape."""
        for name, shape in shapes.items():
            former = getattr(self, name)
            if isinstance(former, Deferred):
                setattr(self, name, initialised(shape, former.init, former.device, former.dtype))
            elif former is not None and former.shape != shape:
                raise ShapeError(
                    f"{type(self).__name__}: {name} has shape {former.shape}, but this data needs "
                    f"{shape}; give data with the sizes of the first call, or make a new module"
                )

    def prepare(self, *args: Any) -> Any:
        """Create all parameters by a call in prediction mode; return the module itself.

        >>> import nbgraph as ng
        >>> ng.nn.Dense(3).prepare(ng.ones((1, 2))).parameters()["weight"].shape
        (3, 2)
        """
        if self._deferred():
            with outside():
                try:
                    self.forward(*args)
                except TypeError as error:
                    if not isinstance(error, NbgraphError):
                        require_arrays(self, args)
                    raise
        return self

    def to(self, device: Context | None = None, dtype: Any = None) -> Any:
        """Move all arrays to a device and cast floats to a dtype; return the module itself.

        The arrays are new and without gradients, so create an optimizer afterwards. Train a 16-bit
        dtype with float32 master weights (`multi_precision` of the optimizer). Raise DTypeError for
        a dtype that is not floating.

        >>> import nbgraph as ng
        >>> ng.nn.Dense(2, in_features=3).to(ng.cpu(1)).parameters()["bias"].device
        cpu(1)
        >>> ng.nn.Dense(2).to(dtype="float16")(ng.ones((1, 3), dtype="float16")).dtype
        dtype('float16')
        """
        dtype = None if dtype is None else as_dtype(dtype, "Module.to: dtype")
        if dtype is not None and not is_float(dtype):
            raise DTypeError(f"Module.to: dtype={dtype}; expected a float, such as 'float16'")
        copies: dict[int, Any] = {}
        for module in self.modules().values():
            for name, value in _attributes(module):
                replacement = moved(value, device, dtype, copies)
                if replacement is not value:
                    setattr(module, name, replacement)
        return self

    # compiled ---------------------------------------------------------------------------------

    def hybridize(self, active: bool = True) -> Any:
        """Compile calls to a graph with `ng.jit` from now on, or stop doing so; return the module
        itself.

        >>> import nbgraph as ng
        >>> net = ng.nn.Dense(2, init=ng.init.ones()).hybridize()
        >>> net(ng.ones((1, 3)))
        array([[3., 3.]], dtype=float32)
        """
        self._compiled = jit(self._collected) if active else None
        self._seen = -1
        return self

    def _collected(self, *args: Any, **kwargs: Any) -> Any:
        with collecting(self.statistics()) as values:
            return self.forward(*args, **kwargs), values

    def _begin(self, args: Any, kwargs: Any) -> Any:
        """Run the first call, or one after an array was replaced, which invalidates traces."""
        self._compiled.clear_cache()
        if self._deferred():
            return self.forward(*args, **kwargs)
        self._seen = _changes[0]
        return self(*args, **kwargs)

    def apply_statistics(self, values: dict[str, Any]) -> None:
        """Write the values that a traced call computed for statistics."""
        if values:
            arrays = self.statistics()
            for name, value in values.items():
                write(arrays[name], value)

    # files ------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return parameters and statistics by name: the arrays themselves."""
        return self.parameters() | self.statistics()

    def load_state_dict(
        self, state: dict[str, Any], strict: bool = True
    ) -> tuple[list[str], list[str]]:
        """Load values by name; change nothing if a shape does not fit. Return missing and unknown
        names, which raise ArgumentError if `strict`."""
        return restore(self, dict(self._arrays()), state, strict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write parameters and statistics to a file: safetensors for that suffix, else npz."""
        files.save(path, self.state_dict())

    def load(self, path: str | os.PathLike[str], strict: bool = True) -> Any:
        """Load a file of `save` and return the module itself. Raise ArgumentError or ShapeError for
        another module's file; with strict=False unmatched names are ignored."""
        self.load_state_dict(files.load(path), strict)
        return self

    # display ----------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return a table of all arrays.

        >>> import nbgraph as ng
        >>> print(ng.nn.Dense(3, in_features=2).summary())
        weight  float32  3 x 2  6
        bias    float32  3      3
        total                   9
        """
        rows: list[tuple[str, ...]] = []
        total = 0
        for name, array in self._arrays():
            extents = " x ".join(["?" if n is None else str(n) for n in array.shape])
            exists = not isinstance(array, Deferred)
            total += array.size if exists else 0
            dtype, size = (str(array.dtype), str(array.size)) if exists else ("", "?")
            rows.append((name, dtype, extents, size))
        return Text(columns([*rows, ("total", "", "", str(total))]))

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}({self.describe()})"]
        for name, value in _attributes(self):
            for path, part in _within(name, value):
                if isinstance(part, Module):
                    lines += [f"  {line}" for line in f"{path}: {part!r}".splitlines()]
        return "\n".join(lines)

    def describe(self) -> str:
        """Return the text in parentheses after the module's name in its repr."""
        return ""


def _attributes(module: Module) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(module).items() if not name.startswith("_")]


def _within(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield arrays and modules of an attribute, with their names."""
    if isinstance(value, (Module, *_PLAIN)):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _within(f"{path}.{i}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(f"{path}.{key}", item)


def _trains(array: Any) -> bool:
    return isinstance(array, Deferred) or is_float(array.dtype)


def _replacement(name: str, array: Any, value: Any) -> Any:
    """Return the value that replaces an array of a module: plain values become an array like it."""
    traced = not isinstance(value, Array) and hasattr(value, "__nbgraph_priority__")
    parts = isinstance(value, (list, tuple, dict)) and any(True for _ in _within("", value))
    if value is None or traced or parts or isinstance(value, (Module, Deferred)):
        return value
    numbers = not isinstance(value, Array)
    if numbers:
        dtype = config.default_float if array.dtype is None else array.dtype
        try:
            value = array_of(np.asarray(value).astype(dtype), device=array.device)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{name}: {value!r} is not an array of numbers; give one, or del it first"
            ) from None
    if not fits(array.shape, value.shape):
        raise ShapeError(
            f"{name}: the array has shape {value.shape}, the parameter {array.shape}; give one of "
            "that shape, fill it with [...] = value, or del it first"
        )
    if not _trains(value):
        raise DTypeError(
            f"{name}: the array given has dtype {value.dtype}, and a parameter is floating; use "
            "astype, or del it first"
        )
    if numbers and isinstance(array, Array):  # optimizers and other modules may refer to it
        parameter: Any = array
        with outside():
            parameter[...] = value
        return parameter
    return value


_STRUCTURE = (*_PLAIN, Module, list, tuple, dict)


def _with_parameters(doc: str, bases: Sequence[type]) -> str:
    """Return the docstring of a class with the parameters of the base class whose `__init__` it
    inherits, unless it has a section of parameters."""
    first, *rest = doc.split("\n\n")
    for section in chain(rest, *[(base.__doc__ or "").split("\n\n") for base in bases]):
        if section.lstrip().startswith("Parameters\n"):
            return doc if section in rest else "\n\n".join([first, section.rstrip(), *rest])
    return doc
