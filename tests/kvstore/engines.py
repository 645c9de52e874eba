"""Workers of both engines, for what is the same on them."""

from contextlib import ExitStack, closing

import pytest

from tests.kvstore.here import run
from tests.kvstore.ranks import Ranks


@pytest.fixture(scope="session")
def ranks(tmp_path_factory):
    """A function from a number of workers to those of MPI, which are started once."""
    started = {}
    with ExitStack() as stack:

        def workers(count):
            if count not in started:
                made = Ranks(count, tmp_path_factory.mktemp("mpi"))
                started[count] = stack.enter_context(closing(made))
            return started[count]

        yield workers


@pytest.fixture(scope="module", params=["dask", "mpi"])
def engine(request):
    """A function that returns the results of `function(rank, *args, options)` of so many workers,
    `options` being those of `ng.kv.create`; `lossy`: messages come twice, where that may be."""

    def threads(workers, function, *args, **options):
        return run(workers, function, *args, {"engine": "dask"}, **options)

    def processes(workers, function, *args, checkpoint=None, lossy=False):
        options = {"engine": "mpi", "checkpoint": checkpoint, "timeout": 60}
        return request.getfixturevalue("ranks")(workers)(function, *args, options)

    return {"dask": threads, "mpi": processes}[request.param]
