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
from nbgraph.kvstore.attempt import call
from nbgraph.kvstore.job import Job
from nbgraph.kvstore.shard import Shard


class Here:
    """A shard as its workers see it: all that comes and goes is pickled, as for a network.

    `lossy`: what a worker sends is delivered twice. `silent`: a method that is never answered.
    `log`: the names of the calls.
    """

    def __init__(self, shard, loop, log, *, lossy=False, silent=None):
        self.shard, self.log, self.lossy, self.silent = shard, log, lossy, silent
        self._io_loop = SimpleNamespace(asyncio_loop=loop)

    def __getattr__(self, name):
        method = getattr(self.shard, name)

        async def call(*args):
            self.log.append(name)
            sent = dumps(args)
            if name == self.silent:
                await asyncio.Event().wait()
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
    finally:  # calls that a worker has just given up begin, so that they can end
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _apart(*args):
    with apart():  # workers share memory here: none may wait for what another has not ended
        return call(*args)


def run(workers, function, *args, **options):
    """Results of `function(rank, *args)` of so many workers; the first that raises is raised."""
    with event_loop() as loop:
        try:
            found = _results(loop, workers, function, *args, **options)
        except BaseException:
            with suppress(Exception):  # what has failed with it is told here, and to no other test
                ng.engine.wait_for_all(60)
            raise
        ng.engine.wait_for_all(60)  # a loop that stops earlier leaves pushes without an answer
        return found


def _results(loop, workers, function, *args, timeout=20.0, checkpoint=None, log=None, **faults):
    log = [] if log is None else log
    with ThreadPoolExecutor(workers) as pool:
        shards = [Here(Shard(k, workers, timeout), loop, log, **faults) for k in range(workers)]
        futures = []
        for rank in range(workers):
            seen = [*shards]
            if not any(faults.values()):
                seen[rank] = seen[rank].shard  # no message lies between
            job = Job(rank, workers, seen, timeout, checkpoint, loop)
            futures.append(pool.submit(_apart, job, function, args))
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
