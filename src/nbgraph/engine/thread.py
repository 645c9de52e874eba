"""The engine's state of the calling thread."""

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
    running: Operation | None = None  # the operation whose function it runs, which may not wait
    bulk: Bulk | None = None  # the innermost open bulk
    carried: dict[Variable, Failure | None] | None = None  # failures in a bulk of a compiled core


here = _Here()
# whether this context is inside a function that an engine runs, for code that can only read context
# variables; `here.running` is authoritative
inside: ContextVar[bool | None] = ContextVar("nbgraph_inside", default=None)
