"""Parameters by key, which several devices, processes or machines share.

A worker pushes its gradients or values and pulls the combined values; an optimizer, if one is set,
runs in the store. `KVStore` has the calls, their checks and their defaults; a backend (`create`)
stores the values.

>>> import nbgraph as ng
>>> kv = ng.kv.create("local")
>>> kv.init(3, ng.ones((2, 3)))
>>> kv.push(3, [ng.ones((2, 3))] * 4)  # from four devices: their sum
>>> kv.pull(3)
array([[4., 4., 4.],
       [4., 4., 4.]], dtype=float32)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nbgraph._listing import public_names
from nbgraph.foreign import missing
from nbgraph.kvstore.kinds import create as create
from nbgraph.kvstore.kinds import register as register
from nbgraph.kvstore.store import KVStore as KVStore

if TYPE_CHECKING:
    from nbgraph.kvstore.workers import Cluster as Cluster
    from nbgraph.kvstore.workers import cluster as cluster

__dir__ = public_names(globals(), "Cluster cluster")

_WORKERS = ("Cluster", "cluster")


def __getattr__(name: str) -> Any:
    """Return a name that needs asyncio; its module loads when it is first used (PEP 562)."""
    if name not in _WORKERS:
        missing("ng.kv", globals())(name)
    workers = importlib.import_module("nbgraph.kvstore.workers")
    return getattr(workers, name)
