"""`ng.jit`: a function of arrays, traced once for each signature, runs as one compiled graph."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, ParamSpec, TypeVar, overload

from nbgraph.array import core
from nbgraph.autograd.explain import Explanation, explained
from nbgraph.autograd.results import require_function
from nbgraph.autograd.signature import Bound, InlineError, Keyed, enter, floats_as_arrays
from nbgraph.autograd.version import Version, labels_of
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, function_name
from nbgraph.graph.graph import Graph
from nbgraph.operator.call import recording, training
from nbgraph.operator.layout import keep
from nbgraph.scopes import forkable
from nbgraph.settings import CLOSELY_ASKED, config, looks_closely
from nbgraph.signatures import Function, checked

P = ParamSpec("P")
R = TypeVar("R")
_MOST = 256  # versions that a function keeps; the oldest is dropped first
_ENTERING = forkable(threading.Lock())
_classes = core._class
_settings = config.variable.get


class Jit(Generic[P, R]):
    """The result of `ng.jit`: called like the function, with the same results.

    Attributes
    ----------
    traced_function : callable
        The function itself.
    """

    def __init__(
        self, fn: Callable[P, R], static_argnames: Sequence[str] = (), *, lifted: Sequence[int] = ()
    ) -> None:
        self.traced_function: Function = fn
        self.static_argnames = tuple(static_argnames)
        self._lifted = tuple(lifted)  # positional arguments whose floats become arrays
        self.__qualname__: str = getattr(fn, "__qualname__", type(fn).__qualname__)
        self._versions: dict[Any, Version] = {}
        self._by_flat_key: dict[Any, Version] = {}  # see `signature.enter`
        self._labels: dict[int, Sequence[str]] = {}  # by the number of positional arguments
        functools.update_wrapper(self, fn, updated=())
        self._label = f"jit of {function_name(fn)}"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the function's results, by the compiled graph."""
        recorder = recording.get()
        if CLOSELY_ASKED[0] or self._lifted or here.running is not None:
            return self._general(args, kwargs)
        key: list[Any] = [
            training.get(None),
            recorder is None,
            _settings().default_float,
            len(args),
        ]
        arrays: list[Any] = []
        kind = _classes[0]
        value: Any
        for value in args:
            if type(value) is kind:  # the usual case
                key.append(value._layout)
                arrays.append(value)
            elif not enter(value, key, arrays):
                return self._general(args, kwargs)
        for name, value in kwargs.items():
            key.append(name)
            if not enter(value, key, arrays):
                return self._general(args, kwargs)
        flat = tuple(key)
        version = self._by_flat_key.get(flat)
        if (
            version is None
            or version.content.changed()
            or (recorder is not None and recorder.traces)
        ):
            return self._general(args, kwargs, flat)
        return version(arrays, sys._getframe(1))

    def _general(self, args: Sequence[Any], kwargs: Mapping[str, Any], flat: Any = None) -> Any:
        """Return the results by the full key of the arguments; store the version by `flat`."""
        if self.as_written():
            return self.traced_function(*self._unbound(args), **kwargs)
        try:
            version, keyed = self.version(args, kwargs)
        except InlineError:
            return self.traced_function(*self._unbound(args), **kwargs)
        if flat is not None:
            keep(self._by_flat_key, flat, version, _MOST)
        return version(keyed.together(version.captured))

    def as_written(self) -> bool:
        """Return whether the function itself runs: in a trace, in the engine, or for debugging."""
        recorder = recording.get()
        if (recorder is not None and recorder.traces) or here.running is not None:
            return True
        return looks_closely()

    def _unbound(self, args: Sequence[Any]) -> Sequence[Any]:
        """Return the arguments of the function; the first one of a bound method is its object."""
        bound = bool(args) and type(args[0]) is Bound and args[0].__func__ is self
        return (args[0].__self__, *args[1:]) if bound else args

    def version(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Version, Keyed]:
        """Return the version for these arguments; trace the function if there is none."""
        own = self._unbound(args)
        bound, args = own is not args, own
        if self._lifted:
            args = floats_as_arrays(args, self._lifted)
        keyed = Keyed(self._label)
        static: set[Any] = set()
        key: list[Any] = [training.get(None), recording.get() is None, config.default_float]
        labels = self._labels.get(len(args))
        if labels is None:
            labels = self._labels[len(args)] = labels_of(self.traced_function, len(args))
        for i, (label, value) in enumerate(zip(labels, args, strict=True)):
            if i == 0 and bound:
                static.add(i)
                key.append(keyed.identity(value))
            elif label in self.static_argnames:
                static.add(i)
                key.append(keyed.static(value, label))
            else:
                key.append(keyed.key(value, label))
        for name, value in kwargs.items():
            if name in self.static_argnames:
                static.add(name)
                key.append((name, keyed.static(value, name)))
            else:
                key.append((name, keyed.key(value, name)))
        full = tuple(key)
        entry = self._versions.get(full)
        if entry is None or entry.content.changed():
            entry = Version(self.traced_function, self._label, keyed, args, kwargs, static)
            self._enter(full, entry)
        return entry, keyed

    def _enter(self, key: Any, version: Version) -> None:
        with _ENTERING:
            self._versions.pop(key, None)
            self._versions[key] = version
            while len(self._versions) > _MOST:
                del self._versions[next(iter(self._versions))]

    # looking inside ---------------------------------------------------------------------------

    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """Return the graph for arguments like these, as it was traced.

        >>> import nbgraph as ng
        >>> ng.jit(lambda x: x * 2 + 1).graph(ng.ones(3))
        %0 = x: float32[3]
        %1 = multiply(%0, 2): float32[3]
        %2 = add(%1, 1): float32[3]
        return %2
        """
        return self.version(args, kwargs)[0].graph

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Return the passes, loops and memory of the graph for arguments like these; without
        arguments, of the newest version."""
        newest = [] if args or kwargs else [*self._versions.values()][-1:]
        return explained(self._label, newest[0] if newest else self.version(args, kwargs)[0])

    def prepare(self, arrays: Sequence[Any], most: int) -> bool:
        """Return whether the next call can start at once; see `executor.Function.prepare`."""
        functions = [v.function for v in [*self._versions.values()]]  # another thread may add one
        return all(function is None or function.prepare(arrays, most) for function in functions)

    def clear_cache(self) -> None:
        """Forget all versions; the next calls trace anew."""
        self._versions.clear()
        self._by_flat_key.clear()

    @property
    def cache_size(self) -> int:
        """The number of signatures that have versions."""
        return len(self._versions)

    # as a function ----------------------------------------------------------------------------

    def __nbgraph_transformed__(self, change: Function, lifted: Sequence[int]) -> Jit:
        """Return a transformation of the function, traced as a whole: one program."""
        return Jit(change(self.traced_function), self.static_argnames, lifted=lifted)

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else Bound(self, obj)

    def __reduce__(self) -> Any:
        target: Any = importlib.import_module(self.__module__)
        for part in self.__qualname__.split("."):
            target = getattr(target, part, None)
        if target is self:
            return self.__qualname__
        return _restored, (self.traced_function, self.static_argnames, self._lifted)

    def __repr__(self) -> str:
        return f"<{self._label}, {self.cache_size} signature(s)>"


def _restored(fn: Function, static_argnames: Sequence[str], lifted: Sequence[int]) -> Jit:
    return Jit(fn, static_argnames, lifted=lifted)


@overload
def jit(
    f: Callable[P, R],
    *,
    static_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
) -> Jit[P, R]: ...
@overload
def jit(
    f: None = None,
    *,
    static_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
) -> Callable[[Callable[P, R]], Jit[P, R]]: ...
@checked
def jit(
    f: Function | None = None,
    *,
    static_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
) -> Any:
    """Return a function of NDArrays that runs as one compiled graph.

    The first call with arguments of certain shapes and dtypes traces the function: it is called
    with symbols, and the graph of what it computes is optimised, planned and compiled. Later calls
    run that graph, as one operation of the engine, and return at once.

    Arrays in globals, closures and objects are read at each call. Numbers, strings and None are
    part of the signature, like the arguments in `static_argnames`: another value traces the
    function again. So does the replacement of the function, of one that it calls, or of a value
    that they use. NumPy arrays among the arguments are copied; those found elsewhere are constants.
    Random draws are made anew at each call. Results are new arrays, never views, except
    arguments and arrays from outside that the function returns: these come back as they are.

    Within `ng.autograd.record()` a call is one operator of the tape. Derivatives of a jit function
    (`ng.value_and_grad(ng.jit(f))`) and those within one (`ng.jit(ng.value_and_grad(f))`) are part
    of the graph. A branch on the value of an array is refused; `ng.where` chooses between results.

    With `ng.config(compiler="python")`, or `anomaly=1`, and within a function that the engine runs,
    the function itself is called.

    Given Dask arrays, or finding some outside, the graph is applied to them block by block, lazily:
    results are Dask arrays.

    Parameters
    ----------
    f : callable
        Arguments and results may be dicts, lists and tuples of arrays. It must not write arrays
        that it did not make; its other effects happen only while it is traced.
    static_argnames : str or sequence of str
        Arguments that are not arrays and can be hashed.
    static_argnums : int or sequence of int
        The same by their positions.

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 2.0])
    >>> @ng.jit
    ... def loss(x):
    ...     return ng.sum((x - w) ** 2)
    >>> loss(ng.zeros(2))
    array(5., dtype=float32)
    >>> w += 1
    >>> ng.value_and_grad(loss)(ng.zeros(2))
    (array(13., dtype=float32), array([-4., -6.], dtype=float32))
    """
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    if f is None:
        return lambda fn: jit(fn, static_argnames=names, static_argnums=static_argnums)
    require_function("jit", f)
    names = (*names, *_names_at(f, static_argnums))
    if isinstance(f, Jit):
        f, names = f.traced_function, (*f.static_argnames, *names)
    for kind, description in (
        (inspect.isgeneratorfunction, "a generator"),
        (inspect.iscoroutinefunction, "an asynchronous function"),
        (inspect.isasyncgenfunction, "an asynchronous generator"),
    ):
        if kind(f):
            raise ArgumentError(
                f"jit: {f.__name__} is {description}; give a function that returns its arrays"
            )
    _require_names(f, names)
    return Jit(f, names)


def _names_at(f: Function, static_argnums: int | Sequence[int]) -> list[str]:
    """Return the names of the arguments at these positions."""
    places = [static_argnums] if isinstance(static_argnums, int) else list(static_argnums)
    if not all(isinstance(place, int) for place in places):
        raise ArgumentError(
            f"jit: static_argnums={static_argnums!r}; expected numbers of arguments; their names "
            "are given as static_argnames"
        )
    parameters = list(inspect.signature(f).parameters) if places else []
    for place in places:
        if not -len(parameters) <= place < len(parameters):
            raise ArgumentError(
                f"jit: static_argnums={static_argnums!r}, but {getattr(f, '__name__', f)} has "
                f"{len(parameters)} argument(s): {', '.join(parameters)}"
            )
    return [parameters[place] for place in places]


def _require_names(f: Function, names: Collection[str]) -> None:
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return
    others = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in names:
        if name not in parameters and not others:
            raise ArgumentError(
                f"jit: static_argnames has {name!r}, which is not an argument of "
                f"{getattr(f, '__name__', f)}; there are: {', '.join(parameters)}"
            )
