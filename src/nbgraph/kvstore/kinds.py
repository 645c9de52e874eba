"""The kinds of stores: `create` and `register`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.kvstore.store import KVStore

# kind and engine (its first is the default; None: the process alone): a class, or where it is
_KINDS: dict[tuple[str, str | None], str | type[KVStore]] = {
    ("local", None): "nbgraph.kvstore.local:Local",
    ("device", None): "nbgraph.kvstore.local:Device",
    ("dist_sync", "dask"): "nbgraph.kvstore.dist:DistSync",
    ("dist_sync", "mpi"): "nbgraph.kvstore.mpi:AllReduce",
    ("dist_async", "dask"): "nbgraph.kvstore.dist:DistAsync",
}
_ALIASES = {
    "dist_sync_device": "dist_sync",
    "dist_async_device": "dist_async",
    "local_update_cpu": "local",
    "local_allreduce_cpu": "local",
    "local_allreduce_device": "device",
}


def create(kind: str = "local", *, engine: str | None = None, **options: Any) -> KVStore:
    """Return a new, empty store.

    Parameters
    ----------
    kind : str
        "local": sums lie on the host; "device": where the first array of a key lies; "dist_sync":
        pulls see the sums of all workers' pushes; "dist_async": each push is applied as it comes.
        Upper and lower case are the same, and what `register` was given is known, too.
    engine : str, optional
        Of a dist kind. "dask", the default: workers are those of a cluster, and the call is inside
        of a function that `ng.kv.cluster` runs. "mpi": the processes that `mpirun` has started;
        "dist_sync" alone, and the extra `nbgraph[mpi]`.
    **options
        Of the store: `slice_bytes` of the dist kinds, `max_staleness` of "dist_async", `timeout`
        and `checkpoint` with MPI.

    Raises
    ------
    ArgumentError
        The kind, the engine or an option is not known; the message lists those that are.

    >>> import nbgraph as ng
    >>> ng.kv.create("device").type
    'device'
    """
    if not isinstance(kind, str):
        raise ArgumentError(f"kv.create: kind is {noun(kind)}; expected a name: {_known()}")
    name = _ALIASES.get(kind.lower(), kind.lower())
    engines = [each for label, each in _KINDS if label == name]
    if not engines:
        raise ArgumentError(f"kv.create: kind={kind!r}; expected one of {_known()}")
    if engine is not None and engine not in engines:
        raise ArgumentError(_unfit(kind, engine, engines))
    entry = _class(name, engines[0] if engine is None else engine)
    _require_options(kind, entry, options)
    return entry(**options)


def register(cls: type[KVStore]) -> type[KVStore]:
    """Make a class known to `create` by its `type`; for use as a decorator.

    >>> import nbgraph as ng
    >>> from nbgraph.kvstore.local import Local
    >>> @ng.kv.register
    ... class Audited(Local):
    ...     type = "audited"
    >>> ng.kv.create("audited")
    <KVStore audited: 0 keys, worker 0 of 1>
    """
    kind = cls.type.lower()
    for entry in [each for each in _KINDS if each[0] == kind]:
        del _KINDS[entry]
    _KINDS[kind, None] = cls
    return cls


def _known() -> str:
    return ", ".join(map(repr, sorted({kind for kind, _ in _KINDS} | {*_ALIASES})))


def _class(kind: str, engine: str | None) -> type[KVStore]:
    entry = _KINDS[kind, engine]
    if isinstance(entry, str):
        module, name = entry.split(":")
        entry = getattr(importlib.import_module(module), name)
    store: Any = entry
    return store


def _unfit(kind: str, engine: Any, engines: Sequence[str | None]) -> str:
    """Return what to say of an engine that a kind does not have."""
    if engine == "mpi" and "dask" in engines:
        return (
            f"kv.create: kind={kind!r} with engine='mpi', whose sums take every worker at once; "
            "create 'dist_sync', or take engine='dask' in a function that ng.kv.cluster runs"
        )
    named = [repr(each) for each in engines if each is not None]
    expected = " or ".join(named) if named else f"none, as {kind!r} is of one process"
    return f"kv.create: kind={kind!r} with engine={engine!r}; expected {expected}"


def _require_options(kind: str, entry: type[KVStore], options: Mapping[str, Any]) -> None:
    params = inspect.signature(entry).parameters
    if any(each.kind is each.VAR_KEYWORD for each in params.values()):
        return
    for name in options.keys() - params:
        others = [k for k in _KINDS if name in inspect.signature(_class(*k)).parameters]
        hint = "".join(f"; {k!r} with engine={e!r} has it" for k, e in others)
        raise ArgumentError(
            f"kv.create: {kind!r} has no option {name!r}, but {', '.join(params) or 'none'}{hint}"
        )
