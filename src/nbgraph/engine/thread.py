"""What the engine knows of the calling thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbgraph.engine.bulk import Bulk
    from nbgraph.engine.operation import Operation


class _Here(threading.local):
    running: Operation | None = None  # whose function this thread is in: it may not wait
    bulk: Bulk | None = None  # the innermost open one


here = _Here()
