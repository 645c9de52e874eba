"""What the engine knows of the calling thread."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbgraph.engine.bulk import Bulk
    from nbgraph.engine.failure import Failure
    from nbgraph.engine.operation import Operation
    from nbgraph.engine.variable import Variable


class _Here(threading.local):
    running: Operation | None = None  # whose function this thread is in: it may not wait
    bulk: Bulk | None = None  # the innermost open one
    carried: dict[Variable, Failure | None] | None = None  # within a bulk on the compiled core


here = _Here()
# whether this context is within a function that an engine runs, for code that reads context
# variables only; `here.running` decides
inside: ContextVar[bool | None] = ContextVar("nbgraph_inside", default=None)
