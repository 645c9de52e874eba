"""Workers as threads of this process, and their shards without a network: what tests of the
protocol need many of."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import SimpleNamespace

from distributed.protocol.pickle import dumps, loads

import nbgraph as ng
from nbgraph.array.chunk import apart
from nbgraph.kvstore.job import Job
from nbgraph.kvstore.shard import Shard
from nbgraph.kvstore.workers import call


class Here:
    """A shard as its workers see it: all that comes and goes is pickled, as for a network.

    `lossy`: what a worker sends is delivered twice.
    """

    def __init__(self, shard, loop, *, lossy=False):
        self.shard, self.lossy = shard, lossy
        self._io_loop = SimpleNamespace(asyncio_loop=loop)

    def __getattr__(self, name):
        method = getattr(self.shard, name)

        async def call(*args):
            sent = dumps(args)
            try:
                if self.lossy and name == "push":
                    await method(*loads(sent))
                return loads(dumps(await method(*loads(sent))))
            except Exception as error:
                raise loads(dumps(error)) from None

        return call


@contextmanager
def event_loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _apart(*args):
    with apart():  # workers share memory here: none may wait for what another has not ended
        return call(*args)


def run(workers, function, *args, **options):
    """Results of `function(rank, *args)` of so many workers; the first that raises is raised."""
    try:
        return _results(workers, function, *args, **options)
    except BaseException:
        with suppress(Exception):  # what has failed with it is told here, and to no other test
            ng.waitall()
        raise


def _results(workers, function, *args, timeout=20.0, checkpoint=None, lossy=False):
    with event_loop() as loop, ThreadPoolExecutor(workers) as pool:
        shards = [Here(Shard(k, workers, timeout), loop, lossy=lossy) for k in range(workers)]
        futures = [
            pool.submit(_apart, Job(rank, workers, shards, timeout, checkpoint), function, args)
            for rank in range(workers)
        ]
        try:
            return [future.result(60) for future in futures]
        except BaseException as error:
            for each in shards:
                abandoned = each.shard.abandon(str(error))
                asyncio.run_coroutine_threadsafe(abandoned, loop).result(10)
            raise
        finally:
            for each in shards:
                each.shard._thread.shutdown()
