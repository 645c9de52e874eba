"""Parameters by key, which several devices, processes or machines keep in step.

A worker pushes what it computed and pulls what all of them agree on; where an optimizer is set, it
runs in the store. `KVStore` has the calls, their checks and their defaults; a backend says where
values lie (`create`).

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
