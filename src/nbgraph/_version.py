"""The version of this library, and hashes of its modules for cache keys."""

import functools
import hashlib
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.1.0"
_OWN = Path(__file__).parent
PACKAGE: Any = (  # the folder of the library, which may lie in a zip file
    _OWN if _OWN.exists() else importlib.import_module("importlib.resources").files(__package__)
)


def files(room: str, ending: str | tuple[str, ...]) -> list[Any]:
    """Return the files of a room whose names end so, by name."""
    named = {f.name: f for f in (PACKAGE / room).iterdir() if f.name.endswith(ending)}
    return [named[name] for name in sorted(named)]


@functools.cache
def sources(*names: str) -> str:
    """Return a hash of modules, named by path in the library; "room/*" stands for a folder."""
    digest = hashlib.sha256()
    for name in names:
        room, _, own = name.rpartition("/")
        for file in files(room, ".py") if own == "*" else [PACKAGE / f"{name}.py"]:
            digest.update(file.read_bytes())
    return digest.hexdigest()
