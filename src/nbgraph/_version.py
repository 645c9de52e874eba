"""The version of this library and of the modules that produce machine code, for cache keys."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

__version__ = "0.1.0"


@functools.cache
def sources(*names: str) -> str:
    """Return a hash of modules, by their paths in the library; "room/*" are all of a room."""
    digest = hashlib.sha256()
    for name in names:
        files = sorted(Path(__file__).parent.glob(f"{name}.py"))
        assert files, name
        for file in files:
            digest.update(file.read_bytes())
    return digest.hexdigest()
