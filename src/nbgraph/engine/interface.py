"""The interface of an engine that its parts use: operations, pending results, bulks, reports.

Parts import this protocol, not the classes of engines, which import the parts.
"""

from typing import Any, Protocol


class EngineLike(Protocol):
    """The part of an engine's interface that its parts use."""

    kind: str
    workers: int
    limits: dict[str, int]
    _owner: Any
    _bulks: int
    _core: Any
    _kernels: Any
    _listeners: tuple[Any, ...]

    def _issue(self, operation: Any) -> None: ...

    def _complete(self, operation: Any) -> None: ...

    def _flush(self) -> None: ...

    def _asked(self) -> None: ...

    def _deadline(self, timeout: float | None, what: str) -> float | None: ...

    def _wait_operation(self, pending: Any, deadline: float | None) -> bool: ...

    def _failure_of(self, var: Any) -> Any: ...

    def _claim(self, failure: Any) -> bool: ...

    def _in_use(self, var: Any) -> bool: ...

    def _counts(self) -> tuple[int, int, int]: ...

    def _tell(self, ended: Any) -> None: ...

    def dump(self) -> Any:
        """Return the unfinished operations; see `Engine.dump`."""
        ...

    def push_operator(self, opr: Any, *, ctx: Any = None, priority: int = 0) -> Any:
        """See `Engine.push_operator`."""
        ...
