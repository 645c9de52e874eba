"""A run of the tests removes the caches of runs that were killed, and no others."""

import os
import subprocess
import sys

from tests.caches import CACHES, remove_abandoned


def test_caches_of_processes_that_have_ended_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = [f"{CACHES}{os.getpid()}-one", f"{CACHES}of_another_kind", "1-two"]
    for name in (*kept, f"{CACHES}{ended.pid}-three"):
        (tmp_path / name / "kernels").mkdir(parents=True)
    remove_abandoned(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
