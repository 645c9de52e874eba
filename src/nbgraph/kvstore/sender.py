"""Messages to shards: the most urgent first, a few under way at a time."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

Send = Callable[[], Awaitable[None]]
_WINDOW = 4  # pushes under way: the next goes while one is answered, and what is urgent soon


class Sender:
    """A queue by priority before a window of messages, on the event loop of a worker.

    What waits for other workers must not hold a place in the window: a worker whose window waits
    for a push that another has not room to send would wait for ever.
    """

    def __init__(self, loop: Any, window: int = _WINDOW) -> None:
        self._loop, self._window = loop, window
        self._heap: list[tuple[tuple[int, ...], int, Send]] = []
        self._order = itertools.count()
        self._under_way = 0

    def put(self, rank: tuple[int, ...], send: Send) -> None:
        """Have `send` awaited in its turn, lowest first, unmetered by Dask; it must not raise."""
        self._loop.call_soon_threadsafe(self._put, rank, send, context=Context())

    def _put(self, rank: tuple[int, ...], send: Send) -> None:
        heapq.heappush(self._heap, (rank, next(self._order), send))
        self._go_on()

    def _go_on(self) -> None:
        while self._heap and self._under_way < self._window:
            _, _, send = heapq.heappop(self._heap)
            self._under_way += 1
            self._loop.create_task(self._sent(send))

    async def _sent(self, send: Send) -> None:
        try:
            await send()
        finally:
            self._under_way -= 1
            self._go_on()


class Countdown:
    """Ends an operation when its last message is answered; runs on the event loop."""

    __slots__ = ("_error", "_left", "_on_complete")

    def __init__(self, count: int, on_complete: Any) -> None:
        self._left, self._on_complete = count, on_complete
        self._error: BaseException | None = None

    def __call__(self, error: BaseException | None = None) -> None:
        self._error = self._error or error
        self._left -= 1
        if not self._left:
            self._on_complete(self._error)
