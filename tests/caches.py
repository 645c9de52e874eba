"""Folders of compiled code, one a run of the tests, and those that killed runs left."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

CACHES = "nbgraph-test-cache-"  # the process that it is of comes next


def remove_abandoned(folder: Path) -> None:
    """Remove the caches of processes that have ended."""
    for path in folder.glob(f"{CACHES}*-*"):
        process = path.name.removeprefix(CACHES).partition("-")[0]
        if process.isdecimal() and not _runs(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _runs(process: int) -> bool:
    with suppress(PermissionError):  # another user's
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
