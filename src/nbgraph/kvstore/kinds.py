"""The kinds of stores: `create` and `register`."""

import importlib
import inspect
from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ArgumentError, noun
from nbgraph.kvstore.store import KVStore

# (kind, engine) -> class or its path; the first engine of a kind is the default, None: one process
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
        "local": sums on the host; "device": sums on the device of a key's first array; "dist_sync":
        pulls return the sums of all workers' pushes; "dist_async": each push is applied on arrival.
        Kinds are case-insensitive and include those of `register`.
    engine : str, optional
        For a dist kind. "dask", the default: the workers of a cluster, in a function that
        `ng.kv.cluster` runs. "mpi": the processes that `mpirun` has started; for "dist_sync" only,
        with the extra `nbgraph[mpi]`.
    **options
        Of the store: `slice_bytes` of the dist kinds, `max_staleness` of "dist_async", `timeout`
        and `checkpoint` with MPI.

    Raises
    ------
    ArgumentError
        For an unknown kind, engine or option; the message lists the valid ones.

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
    params = inspect.signature(entry).parameters
    several = any(each.kind is each.VAR_KEYWORD for each in params.values())
    for option in () if several else options.keys() - params:
        others = [k for k in _KINDS if option in inspect.signature(_class(*k)).parameters]
        hint = "".join(f"; {k!r} with engine={e!r} has it" for k, e in others)
        raise ArgumentError(
            f"kv.create: {kind!r} has no option {option!r}, but {', '.join(params) or 'none'}{hint}"
        )
    return entry(**options)


def register(cls: type[KVStore]) -> type[KVStore]:
    """Register a class with `create` under its `type`; a class decorator.

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
    """Return the message for an engine that a kind does not support."""
    if engine == "mpi" and "dask" in engines:
        return (
            f"kv.create: kind={kind!r} with engine='mpi', whose sums take every worker at once; "
            "create 'dist_sync', or take engine='dask' in a function that ng.kv.cluster runs"
        )
    named = [repr(each) for each in engines if each is not None]
    expected = " or ".join(named) if named else f"none, as {kind!r} is of one process"
    return f"kv.create: kind={kind!r} with engine={engine!r}; expected {expected}"
