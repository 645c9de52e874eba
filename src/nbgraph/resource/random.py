"""Random streams: one per device, reproducible whatever the scheduling.

Numbers come from NumPy's Philox, which is counter-based: a draw is determined by the key of its
stream (seed and device) and by its number, which the push assigns. Draws may then be generated in
any order and in parallel. Each stream also has a stateful generator, whose users run one by one.
The library's operators draw from the host's stream on all devices; other devices' streams serve
requests for resources of those devices.

Without a seed a stream starts from entropy of the system, and a forked child starts again. After
`seed` everything repeats; a forked child then continues from the parent's state, so parent and
child give the same numbers unless one of them seeds again.

>>> seed(7)
>>> first = draw().generator().random()
>>> seed(7)
>>> draw().generator().random() == first
True
"""

import itertools
import os
import secrets
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.device import Context, cpu, require
from nbgraph.device.context import TYPES
from nbgraph.engine import Variable, current
from nbgraph.engine.properties import FnProperty
from nbgraph.errors import ArgumentError, require_whole

Key = np.ndarray[Any, np.dtype[Any]]  # two uint64
_CPU = cpu()
_SERIAL, _PARALLEL = 0, 1


@dataclass(eq=False, repr=False, slots=True)
class Draw:
    """The random numbers of one push; every call of `generator()` starts at their beginning."""

    key: Key
    number: int

    def generator(self) -> np.random.Generator:
        """Return a generator at the beginning of the draw, which has 2**130 numbers.

        >>> one = draw()
        >>> one.generator().random() == one.generator().random()
        True
        """
        numbers = np.random.Philox(_NO_ENTROPY)
        numbers.state = {
            "bit_generator": "Philox",
            "state": {"counter": np.array([0, 0, self.number, 0], np.uint64), "key": self.key},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,  # the buffer is used up
            "has_uint32": 0,
            "uinteger": 0,
        }
        return np.random.Generator(numbers)

    @property
    def words(self) -> tuple[int, int, int]:
        """The key and the number, as words of a kernel's record."""
        low, high = self.key.view("int64").tolist()
        return low, high, self.number


def draw_behind(generator: np.random.Generator) -> Draw:
    """Return the draw of a generator that `Draw.generator` returned and that is unused.

    >>> one = draw()
    >>> draw_behind(one.generator()).words == one.words
    True
    """
    state: Any = generator.bit_generator.state["state"]
    return Draw(state["key"], int(state["counter"][2]))


class _NoEntropy(np.random.bit_generator.ISeedSequence):
    """A seed of zeros, for generators whose state is set next: it avoids the costly entropy."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        """Return zeros."""
        return np.zeros(n_words, dtype)


_NO_ENTROPY: Any = _NoEntropy()


class Stream:
    """The random numbers of a device. `entropy` is its seed, or random bits in place of one."""

    __slots__ = ("_draws", "_serial", "device", "entropy", "seeded", "variable")

    def __init__(self, device: Context, entropy: int, seeded: bool) -> None:
        self.device = device
        self.variable: Variable | None = None  # of the stateful generator, from its first use on
        self.begin(entropy, seeded)

    def begin(self, entropy: int, seeded: bool) -> None:
        """Restart from `entropy` at once."""
        self.entropy, self.seeded = entropy, seeded
        # one tuple, so that a push on another thread gets key and counter of the same seed
        self._draws = self._key(entropy, _PARALLEL), itertools.count()
        self._restart(entropy)

    def _restart(self, entropy: int) -> None:
        self._serial = np.random.Generator(np.random.Philox(key=self._key(entropy, _SERIAL)))

    def _key(self, entropy: int, kind: int) -> Key:
        place = (TYPES.index(self.device.device_type), self.device.device_id, kind)
        return np.random.SeedSequence(entropy, spawn_key=place).generate_state(2, np.uint64)

    def seed(self, entropy: int, seeded: bool) -> None:
        """Restart; functions pushed before still draw from the stateful generator's old state."""
        if self.variable is None:
            self.begin(entropy, seeded)
            return
        self.entropy, self.seeded = entropy, seeded
        self._draws = self._key(entropy, _PARALLEL), itertools.count()
        current().push(
            lambda run_ctx: self._restart(entropy),
            mutate_vars=[self.variable],
            name="seed",
            prop=FnProperty.NO_SKIP,
        )

    def draw(self) -> Draw:
        """Return the next draw; to be called at the push."""
        key, numbers = self._draws
        return Draw(key, next(numbers))

    @property
    def drawn(self) -> int:
        """Number of draws since the seed."""
        return int(repr(self._draws[1])[6:-1])

    def serial(self) -> np.random.Generator:
        """Return the stateful generator; for a function that mutates `variable`."""
        return self._serial

    def after_fork(self, entropy: int) -> None:
        """Continue in a child if seeded, else restart; pending operations belong to the parent."""
        self.variable = None
        if self.seeded:
            # a copy: a thread that is not here may hold the generator's lock
            copy: Any = np.random.Philox()
            copy.state = self._serial.bit_generator.state
            self._serial = np.random.Generator(copy)
        else:
            self.begin(entropy, False)


class _Default:
    """The seed of streams that are created later."""

    def __init__(self) -> None:
        self.entropy, self.seeded = secrets.randbits(128), False


_lock = threading.Lock()
_default = _Default()
_streams: dict[Context, Stream] = {}


def stream(device: Context = _CPU) -> Stream:
    """Return the stream of a device, created at its first use."""
    stream_of = _streams.get(device)
    if stream_of is None:
        require(device, "random")
        with _lock:
            fresh = Stream(device, _default.entropy, _default.seeded)
            stream_of = _streams.setdefault(device, fresh)
    return stream_of


def streams() -> list[Stream]:
    """Return all streams in use."""
    return list(_streams.values())


def draw(device: Context = _CPU) -> Draw:
    """Return the next draw of a device's stream; to be called when the work is pushed.

    >>> a, b = draw(), draw()
    >>> b.number - a.number
    1
    """
    return stream(device).draw()


def seed(n: int | None = None, device: Context | None = None) -> None:
    """Restart the random streams of all devices, or of one, from seed `n`, or from fresh entropy.

    >>> seed(0)
    >>> seed(-1)
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: seed: n=-1; expected a whole number from 0 on
    """
    entropy = secrets.randbits(128) if n is None else require_whole("seed: n", n, 0)
    if device is not None:
        stream(device).seed(entropy, n is not None)
        return
    with _lock:
        _default.entropy, _default.seeded = entropy, n is not None
        existing = streams()
    for one in existing:
        one.seed(entropy, n is not None)


def generator_of(rng: Any = None, device: Context = _CPU) -> np.random.Generator:
    """Return the generator for an argument `rng=` (SPEC 7): a new draw of the device's stream for
    None, a generator itself, a new one for a seed, SeedSequence or BitGenerator.

    >>> generator_of(3).random() == np.random.default_rng(3).random()
    True
    """
    if rng is None:
        return draw(device).generator()
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, np.random.RandomState):
        raise ArgumentError(
            "rng: a RandomState is NumPy's old interface; give np.random.default_rng(seed)"
        )
    try:
        if isinstance(rng, (bool, float, str, bytes)):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"rng={rng!r}; expected None, a whole number from 0 as seed, a "
            "numpy.random.Generator, or a numpy.random.SeedSequence"
        ) from None


def draw_of(rng: Any = None, device: Context = _CPU) -> Draw:
    """Return the draw for an argument `rng=` (SPEC 7); to be called at the push.

    None is the next draw of the device's stream. A generator yields the key of a draw at once,
    which advances it: so its draws have the order of their pushes, whenever they run, and numbers
    that the caller draws from it are reproducible. A seed means `numpy.random.default_rng(seed)`.

    >>> rng = np.random.default_rng(3)
    >>> a, b = draw_of(rng).generator().random(), draw_of(rng).generator().random()
    >>> a == b, a == draw_of(3).generator().random()
    (False, True)
    """
    if rng is None:
        return draw(device)
    return Draw(generator_of(rng).integers(0, 1 << 64, 2, np.uint64), 0)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    if not _default.seeded:
        _default.entropy = secrets.randbits(128)
    for one in streams():
        one.after_fork(secrets.randbits(128))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
