"""Memory of devices: allocated, pooled for reuse, counted, and limited.

>>> import nbgraph as ng
>>> pool = ng.storage.pool()
>>> block = pool.take(1 << 20)
>>> pool.give(block)
>>> pool.take(1 << 20) is block
True
>>> ng.storage.stats().hits > 0
True

The limit is a setting; at the limit free blocks are released, then pending work is waited for.

>>> with ng.config(storage_limit=1 << 30):
...     ng.storage.allocate(1 << 40)
Traceback (most recent call last):
nbgraph.errors.OutOfMemory: allocate: 1099511627776 bytes (1.0 TiB) asked for on cpu(0); ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nbgraph._listing import public_names
from nbgraph.device import Context, cpu, require, trim
from nbgraph.settings import config
from nbgraph.storage import out_of_memory
from nbgraph.storage.memory import Borrowed as Borrowed
from nbgraph.storage.memory import Memory as Memory
from nbgraph.storage.memory import allocate as allocate
from nbgraph.storage.memory import borrow as borrow
from nbgraph.storage.memory import release as release
from nbgraph.storage.out_of_memory import on_report as on_report
from nbgraph.storage.out_of_memory import on_shortage as on_shortage
from nbgraph.storage.pools import Bin as Bin
from nbgraph.storage.pools import Block as Block
from nbgraph.storage.pools import PlainBlock as PlainBlock
from nbgraph.storage.pools import Pool as Pool
from nbgraph.storage.sizes import LARGE as LARGE

if TYPE_CHECKING:
    from nbgraph.storage.report import Stats

__dir__ = public_names(globals(), "LARGE")

_CPU = cpu()
_pools: dict[Context, Pool[Any]] = {}
# arguments of `Pool` besides the device: make, idle, retire
_factory: list[Any] = [PlainBlock, None, None]


def pool(device: Context = _CPU) -> Pool[Any]:
    """Return the pool of a device; each device has one.

    >>> pool(cpu(1)) is pool(cpu(1)), pool(cpu(1)) is pool()
    (True, False)
    """
    pool_of = _pools.get(device)
    if pool_of is None:
        require(device, "storage")
        make, idle, retire = _factory
        pool_of = _pools.setdefault(device, Pool(device, make, idle=idle, retire=retire))
    return pool_of


def set_factory(
    make: Callable[[Memory, Bin[Any]], Block],
    idle: Callable[[Any], bool] | None = None,
    retire: Callable[[Any, Callable[[], None]], object] | None = None,
) -> None:
    """Set the blocks of all pools from now on; see `Pool`. Blocks in use do not come back.

    >>> set_factory(*_factory)
    """
    _factory[:] = [make, idle, retire]
    for one in list(_pools.values()):
        one.empty()
        one.build(make, idle, retire)


def stats(device: Context | None = None) -> Stats:
    """Return bytes, blocks and hits of a device, or of all together.

    >>> stats(cpu(2)).takes
    0
    """
    from nbgraph.storage.report import gather

    name = "all devices" if device is None else repr(device)
    pools = list(_pools.values()) if device is None else [pool(device)]
    settings = config.current
    return gather(name, settings.storage_pool, settings.storage_limit, pools)


def empty_cache(device: Context | None = None) -> int:
    """Free the unused blocks of a device, or of all; return their bytes.

    Memory that pending work still uses is freed when that work has ended.

    >>> block = pool().take(1 << 20)
    >>> pool().give(block)
    >>> empty_cache() >= 1 << 20
    True
    """
    devices = list(_pools) if device is None else [device]
    released = sum(pool(one).empty() for one in devices)
    for one in devices:
        trim(one)
    return released


def _free_blocks(device: Context) -> None:
    if device in _pools:
        _pools[device].empty()


out_of_memory.on_free(_free_blocks)
