"""Work on GPUs: the thread that issues it, its stream, and the thread that reports its end.

Each device has three streams: `WORK` for kernels and functions, `INTO` and `OUT` for copies. One
thread of the engine issues all of a device's work (see `lanes`): it makes the stream wait for work
of other streams on the same variables, calls the function, and records an event after it. So work
on one device follows earlier work on that device without the host in between. One thread per device
waits for the events in their order, and notifies the engine.

A fourth stream, `EXCHANGE`, is for other libraries: their data is ready once that stream reaches an
event that was recorded there (`follow`). It runs no work of this library, and is never captured.

An engine without lanes waits for each event before it goes on.

A kernel that detects a wrong argument, such as an index, writes an error code to a word of the host
(`ErrorWords`), which is read when the job has ended: so the failure is one of an operation, as on
the host, and not of the whole device.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, RunContext, driver
from nbgraph.kernel_errors import of_kernel

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike
    from nbgraph.engine.running import OnComplete
    from nbgraph.engine.variable import Variable

WORK, INTO, OUT, EXCHANGE = "work", "into", "out", "exchange"
Fn = Callable[[RunContext], Any]
_PAGE = 512  # words of the host that are allocated at once


class WordPool:
    """Words of the host that a device writes to; each belongs to one job at a time."""

    def __init__(self) -> None:
        self._free: deque[Any] = deque()  # arrays of one word, which is 0

    def take(self) -> Any:
        """Return a free word."""
        try:
            return self._free.popleft()
        except IndexError:
            page = driver().pinned(8 * _PAGE).view("int64")
            page[...] = 0
            self._free.extend(page[k : k + 1] for k in range(1, _PAGE))
            return page[:1]

    def give(self, word: Any) -> None:
        """Clear a word and mark it as free."""
        word[0] = 0
        self._free.append(word)


class ErrorWords:
    """The words to which the kernels of a job write error codes; see `RunContext.slot`."""

    __slots__ = ("_taken", "_words")

    def __init__(self, words: WordPool) -> None:
        self._words = words
        self._taken: list[tuple[str, Any]] = []

    def take(self, name: str) -> int:
        """Return the address of another word."""
        word = self._words.take()
        self._taken.append((name, word))
        return int(word.__array_interface__["data"][0])

    def look(self) -> Exception | None:
        """Return the first error of a job that has ended, or None, and free its words."""
        error: Exception | None = None
        for name, word in self._taken:
            if word[0] and error is None:
                error = of_kernel(name, int(word[0]))
            self._words.give(word)
        self._taken = []
        return error


class Mark:
    """The end of a job: its event, and whether the event is known to be reached."""

    __slots__ = ("event", "over", "slots")

    def __init__(self, event: Any, slots: ErrorWords | None = None) -> None:
        self.event, self.slots = event, slots
        self.over = False

    def wait(self) -> Exception | None:
        """Wait until the event is reached; return the job's error, or None."""
        try:
            self.event.synchronize()
            return None if self.slots is None else self.slots.look()
        except Exception as problem:  # raised, it would end the thread that waits for later jobs
            return problem


class DeviceQueue:
    """The work of one device: its streams, and the jobs on them."""

    def __init__(self, device: Context) -> None:
        self.device = device
        self._streams: dict[str, Any] = {}
        self._words = WordPool()
        self._lanes: weakref.WeakKeyDictionary[EngineLike, Any] = weakref.WeakKeyDictionary()
        # the last job of each stream with a variable, by the variable's number
        self._uses: dict[int, dict[str, Mark]] = {}
        self._ended: deque[tuple[int, ...]] = deque()  # variables of jobs that have ended
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._notifying = False  # whether the thread that waits for events has started

    def lane(self, engine: EngineLike, make: Callable[[], Any]) -> Any:
        """Return the lane of an engine, created by `make` at first use."""
        lane = self._lanes.get(engine)
        if lane is None:
            with self._lock:
                lane = self._lanes.get(engine)
                if lane is None:
                    lane = self._lanes[engine] = make()
        return lane

    def stream(self, name: str) -> Any:
        """Return the driver's stream of that name."""
        stream = self._streams.get(name)
        if stream is None:
            with self._lock:
                if name not in self._streams:
                    self._streams[name] = driver().stream(self.device.device_id)
                stream = self._streams[name]
        return stream

    def follow(self, number: int, event: Any, keep: Any = None) -> None:
        """Start later jobs on variable `number` after an event of another library's stream; keep
        `keep` alive until the event is reached. Finalisers call this."""
        mark = Mark(event)
        _new_marks.append((number, mark))
        self._report_later(mark, (), _ignore, keep)

    # a job --------------------------------------------------------------------------------------

    def job(
        self, fn: Fn, stream: str, variables: Sequence[Variable]
    ) -> Callable[[RunContext, OnComplete], Any]:
        """Return `fn` as the function that a lane calls to issue the job."""
        numbers = tuple(v.number for v in variables)

        def issue(run_ctx: RunContext, done: OnComplete) -> Any:
            value, mark = self._issue(fn, stream, numbers)
            self._report_later(mark, numbers, done, fn)
            return value

        return issue

    def now(self, fn: Fn, stream: str, variables: Sequence[Variable]) -> Any:
        """Issue a job, wait for its end, and return its value."""
        numbers = tuple(v.number for v in variables)
        with self._lock:
            value, mark = self._issue(fn, stream, numbers)
        error = mark.wait()
        mark.over = True
        self._ended.append(numbers)
        if error is not None:
            raise error
        return value

    def _issue(self, fn: Fn, stream: str, numbers: tuple[int, ...]) -> tuple[Any, Mark]:
        """Issue a job after the work of other streams on the same variables."""
        run_ctx = RunContext(self.device, self.stream(stream), ErrorWords(self._words))
        self._forget_ended()
        _take_new_marks()
        waited: set[int] = set()
        for number in numbers:
            for other, mark in (*self._uses.get(number, {}).items(), *_foreign.get(number, ())):
                if other != stream and not mark.over and id(mark) not in waited:
                    run_ctx.stream.wait(mark.event)
                    waited.add(id(mark))
        try:
            value = fn(run_ctx)
        finally:  # a function that raises may have issued some work before
            mark = Mark(run_ctx.stream.record(), run_ctx.slots)
            for number in numbers:
                self._uses.setdefault(number, {})[stream] = mark
        return value, mark

    def _forget_ended(self) -> None:
        while self._ended:
            try:
                numbers = self._ended.popleft()
            except IndexError:  # another thread took it
                return
            for number in numbers:
                uses = self._uses.get(number)
                if uses is not None and all(mark.over for mark in list(uses.values())):
                    self._uses.pop(number, None)

    # ends ---------------------------------------------------------------------------------------

    def _report_later(
        self,
        mark: Mark,
        numbers: tuple[int, ...],
        done: Callable[[BaseException | None], object],
        keep: Any,
    ) -> None:
        if not self._notifying:
            with self._lock:
                if not self._notifying:
                    name = f"nbgraph ends on {self.device!r}"
                    threading.Thread(target=self._report, name=name, daemon=True).start()
                    self._notifying = True
        self._events.put((mark, numbers, done, keep))

    def _report(self) -> None:
        """Wait for events in the order of issue, and report each: the main loop of a thread."""
        while True:
            mark, numbers, done, keep = self._events.get()
            error = mark.wait()
            mark.over = True
            self._ended.append(numbers)
            done(error)
            del mark, done, keep, error


def _ignore(error: object) -> None:
    """Ignore the end of work that is not an operation of an engine."""


# work of other libraries on their own streams: marks that finalisers append, and marks by variable.
# They are those of all devices, as another device may issue a copy between two
_new_marks: deque[tuple[int, Mark]] = deque()
_foreign: dict[int, list[tuple[str, Mark]]] = {}
_foreign_lock = threading.Lock()


def _take_new_marks() -> None:
    if not _new_marks:
        return
    with _foreign_lock:
        for number in [n for n, marks in _foreign.items() if all(m.over for _, m in marks)]:
            del _foreign[number]
        while True:  # Python 3.13 guards no `while condition`: cpython#130279
            if not _new_marks:
                break
            number, mark = _new_marks.popleft()
            _foreign[number] = [*_foreign.get(number, ()), ("", mark)]


_queues: dict[Context, DeviceQueue] = {}


def device_queue(device: Context) -> DeviceQueue:
    """Return the queue of a device, created at first use."""
    queue = _queues.get(device)
    return _queues.setdefault(device, DeviceQueue(device)) if queue is None else queue
