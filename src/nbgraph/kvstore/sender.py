"""Messages to shards: the most urgent first, a few at a time."""

import heapq
import itertools
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

Send = Callable[[], Awaitable[None]]
_WINDOW = 4  # pushes in flight: enough for overlap, few enough for urgent ones to go soon


class Sender:
    """A priority queue with a window of messages in flight, on the event loop of a worker.

    A message that waits for other workers must not occupy the window: if the other worker cannot
    send its push for lack of room in its own window, both would wait for ever.
    """

    def __init__(self, loop: Any, window: int = _WINDOW) -> None:
        self._loop, self._window = loop, window
        self._heap: list[tuple[tuple[int, ...], int, Send]] = []
        self._order = itertools.count()
        self._in_flight = 0

    def put(self, rank: tuple[int, ...], send: Send) -> None:
        """Await `send` in order of `rank`, lowest first, unmetered by Dask; it must not raise."""
        self._loop.call_soon_threadsafe(self._put, rank, send, context=Context())

    def _put(self, rank: tuple[int, ...], send: Send) -> None:
        heapq.heappush(self._heap, (rank, next(self._order), send))
        self._go_on()

    def _go_on(self) -> None:
        while self._heap and self._in_flight < self._window:
            _, _, send = heapq.heappop(self._heap)
            self._in_flight += 1
            self._loop.create_task(self._sent(send))

    async def _sent(self, send: Send) -> None:
        try:
            await send()
        finally:
            self._in_flight -= 1
            self._go_on()


class Countdown:
    """A counter that ends an operation when its last message is answered; for the event loop."""

    __slots__ = ("_error", "_left", "_on_complete")

    def __init__(self, count: int, on_complete: Any) -> None:
        self._left, self._on_complete = count, on_complete
        self._error: BaseException | None = None

    def __call__(self, error: BaseException | None = None) -> None:
        self._error = self._error or error
        self._left -= 1
        if not self._left:
            self._on_complete(self._error)
