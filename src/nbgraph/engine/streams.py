"""Work on GPUs: who takes it to a device, on which stream, and who tells that it has ended.

Each device has three streams: `WORK` for kernels and functions, `INTO` and `OUT` for copies. One
thread of the engine issues all of a device's work (see `lanes`): it makes the stream wait for what
other streams still do with the same variables, calls the function, and notes an event behind it.
So work on one device follows work on that device without the host in between. One thread a device
waits for the events in their order, and tells the engine.

A fourth stream, `EXCHANGE`, is for other libraries: what they give is ready when it has come to an
event that was noted there (`follow`). Nothing of ours runs on it, and it is never captured.

An engine without lanes waits for each event before it goes on.

Where a kernel finds that something is wrong with what it was given, such as an index, it leaves a
code in a word of the host (`ErrorWords`), which is looked at when the job is over: so the failure
is that of an operation, as on the host, and not one of the whole device.
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
_PAGE = 512  # words of the host that are asked for at once


class WordPool:
    """Words of the host that a device writes to; each belongs to one job at a time."""

    def __init__(self) -> None:
        self._free: deque[Any] = deque()  # arrays of one word, which is 0

    def take(self) -> Any:
        """One that nobody has."""
        try:
            return self._free.popleft()
        except IndexError:
            page = driver().pinned(8 * _PAGE).view("int64")
            page[...] = 0
            self._free.extend(page[k : k + 1] for k in range(1, _PAGE))
            return page[:1]

    def give(self, word: Any) -> None:
        """It is the next one's."""
        word[0] = 0
        self._free.append(word)


class ErrorWords:
    """Where the kernels of a job leave codes; see `RunContext.slot`."""

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
        """What went wrong first, now that the job is over."""
        error: Exception | None = None
        for name, word in self._taken:
            if word[0] and error is None:
                error = of_kernel(name, int(word[0]))
            self._words.give(word)
        self._taken = []
        return error


class Mark:
    """The end of a job: its event, and whether it is known to be reached."""

    __slots__ = ("event", "over", "slots")

    def __init__(self, event: Any, slots: ErrorWords | None = None) -> None:
        self.event, self.slots = event, slots
        self.over = False

    def wait(self) -> Exception | None:
        """Until it is reached: what went wrong on the way."""
        try:
            self.event.synchronize()
            return None if self.slots is None else self.slots.look()
        except Exception as problem:  # else nobody would wait for the jobs behind it
            return problem


class DeviceQueue:
    """All that runs on a device."""

    def __init__(self, device: Context) -> None:
        self.device = device
        self._streams: dict[str, Any] = {}
        self._words = WordPool()
        self._lanes: weakref.WeakKeyDictionary[EngineLike, Any] = weakref.WeakKeyDictionary()
        # of each variable: for each stream the last job with it
        self._uses: dict[int, dict[str, Mark]] = {}
        self._ended: deque[tuple[int, ...]] = deque()  # variables of jobs that are over
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._notifying = False  # whether the thread that tells of ends is there

    def lane(self, engine: EngineLike, make: Callable[[], Any]) -> Any:
        """Return the lane of an engine, made at first use."""
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
        """What is issued with a variable from now on begins behind an event of another library's
        stream; `keep` is kept until that is reached. Finalisers call this."""
        mark = Mark(event)
        _ended_marks.append((number, mark))
        self._tell_later(mark, (), _nobody_asks, keep)

    # a job --------------------------------------------------------------------------------------

    def job(
        self, fn: Fn, stream: str, variables: Sequence[Variable]
    ) -> Callable[[RunContext, OnComplete], Any]:
        """`fn` as what a lane issues."""
        numbers = tuple(v.number for v in variables)

        def issue(run_ctx: RunContext, done: OnComplete) -> Any:
            value, mark = self._issued(fn, stream, numbers)
            self._tell_later(mark, numbers, done, fn)
            return value

        return issue

    def now(self, fn: Fn, stream: str, variables: Sequence[Variable]) -> Any:
        """Issue it and wait for its end: the value."""
        numbers = tuple(v.number for v in variables)
        with self._lock:
            value, mark = self._issued(fn, stream, numbers)
        wrong = mark.wait()
        mark.over = True
        self._ended.append(numbers)
        if wrong is not None:
            raise wrong
        return value

    def _issued(self, fn: Fn, stream: str, numbers: tuple[int, ...]) -> tuple[Any, Mark]:
        """Behind what other streams do with the same variables."""
        run_ctx = RunContext(self.device, self.stream(stream), ErrorWords(self._words))
        self._forget_ended()
        _take_ended()
        waited: set[int] = set()
        for number in numbers:
            for other, mark in (*self._uses.get(number, {}).items(), *_foreign.get(number, ())):
                if other != stream and not mark.over and id(mark) not in waited:
                    run_ctx.stream.wait(mark.event)
                    waited.add(id(mark))
        try:
            value = fn(run_ctx)
        finally:  # what raised half way may have begun something
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

    def _tell_later(
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
                    threading.Thread(target=self._tell, name=name, daemon=True).start()
                    self._notifying = True
        self._events.put((mark, numbers, done, keep))

    def _tell(self) -> None:
        """The life of the thread that waits for events, in the order of issue."""
        while True:
            mark, numbers, done, keep = self._events.get()
            error = mark.wait()
            mark.over = True
            self._ended.append(numbers)
            done(error)
            del mark, done, keep, error


def _nobody_asks(error: object) -> None:
    """The end of what is not an operation of ours."""


# what other libraries do on streams of theirs: by a finaliser, and by variable. Of all devices, as
# a copy from one to another is the other's work
_ended_marks: deque[tuple[int, Mark]] = deque()
_foreign: dict[int, list[tuple[str, Mark]]] = {}
_taking = threading.Lock()


def _take_ended() -> None:
    if not _ended_marks:
        return
    with _taking:
        for number in [n for n, marks in _foreign.items() if all(m.over for _, m in marks)]:
            del _foreign[number]
        while True:  # Python 3.13 guards no `while condition`: cpython#130279
            if not _ended_marks:
                break
            number, mark = _ended_marks.popleft()
            _foreign[number] = [*_foreign.get(number, ()), ("", mark)]


_queues: dict[Context, DeviceQueue] = {}


def device_queue(device: Context) -> DeviceQueue:
    """Return the queue of a device; each has one."""
    queue = _queues.get(device)
    return _queues.setdefault(device, DeviceQueue(device)) if queue is None else queue
