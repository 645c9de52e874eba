"""Choice of the ready operation that runs next: at random from a seed, or by a schedule.

The key of an operation is its push: `(3,)` is the fourth push, `(3, 0)` the first push made by the
function of that one. So keys stay the same when operations change places.
"""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

Key = tuple[int, ...]

_MANY = 200  # ready operations from which on a push always runs one
_PACES = (0.0, 0.0, 0.3, 0.6, 0.9)  # probabilities that one more operation runs after a push
_STYLES = ("luck", "luck", "luck", "any", "newest", "oldest")
_DEMOTED = 1 / 8  # probability that the luckiest loses its luck
_CHANGED = 1 / 50  # probability that pace and style change


class Turn(NamedTuple):
    """An operation that ran, and the number of pushes and waits outside of functions before it.

    >>> Turn((3,), at=5)
    Turn(key=(3,), at=5)
    """

    key: Key
    at: int


class Chooser(Protocol):
    """A rule that chooses the next operation."""

    def choose(self, ready: Sequence[Key], at: int, pushing: bool) -> int | None:
        """Return the place in `ready`, oldest push first, of the operation to run now.

        None: none for the moment; only where `pushing`, as a wait must go on.
        """
        ...


class Chance:
    """Random choices from a seed: the same calls give the same answers.

    Each operation draws its luck once and the luckiest runs first; now and then the luckiest loses
    it all and starves until nothing else is ready. Such a schedule swaps two given operations far
    more often than one that draws anew each time (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
    randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010). Now and then
    it changes to another style, and to another pace (how far pushes run ahead).

    >>> ready = [(0,), (1,), (2,)]
    >>> Chance(7).choose(ready, 3, False) == Chance(7).choose(ready, 3, False)
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._luck: dict[Key, float] = {}
        self._change()

    def _change(self) -> None:
        self._pace = self._random.choice(_PACES)
        self._style = self._random.choice(_STYLES)

    def choose(self, ready: Sequence[Key], at: int, pushing: bool) -> int | None:
        """See `Chooser`."""
        draw = self._random.random
        if pushing and len(ready) < _MANY and draw() >= self._pace:
            return None
        if draw() < _CHANGED:
            self._change()
        if self._style == "any":
            place = self._random.randrange(len(ready))
        elif self._style == "newest":
            place = len(ready) - 1
        elif self._style == "oldest":
            place = 0
        else:
            place = self._luckiest(ready)
        self._luck.pop(ready[place], None)
        return place

    def _luckiest(self, ready: Sequence[Key]) -> int:
        luck, draw = self._luck, self._random.random
        for key in ready:
            if key not in luck:
                luck[key] = draw()
        place = self._best(ready)
        if draw() < _DEMOTED:
            luck[ready[place]] -= 1.0
            place = self._best(ready)
        return place

    def _best(self, ready: Sequence[Key]) -> int:
        return max(range(len(ready)), key=lambda place: self._luck[ready[place]])


class Forced:
    """Choices by a schedule.

    Push numbers alone give an order: an operation runs as soon as it is ready and those before it
    in the list have run. A `Turn` also gives the time. A wait must go on: if the next operation of
    the schedule is not ready, the first ready one runs; if none is in the schedule, the oldest one.

    >>> order = Forced([2, 0])
    >>> order.choose([(0,), (1,)], 2, True)
    >>> order.choose([(0,), (1,), (2,)], 3, True)
    2
    >>> order.choose([(0,), (1,)], 4, False)
    0
    """

    def __init__(self, schedule: Iterable[int | Key | Turn]) -> None:
        self._turns = [_turn(each) for each in schedule]

    def choose(self, ready: Sequence[Key], at: int, pushing: bool) -> int | None:
        """See `Chooser`."""
        places = {key: place for place, key in enumerate(ready)}
        later = None
        for number, turn in enumerate(self._turns):
            if turn.key in places:
                if turn.at <= at:
                    del self._turns[number]
                    return places[turn.key]
                if later is None:
                    later = number
            elif pushing and turn.at == 0:
                return None
        if pushing:
            return None
        if later is not None:  # the wait must go on: an operation scheduled for later runs now
            return places[self._turns.pop(later).key]
        return 0


def _turn(turn: int | Key | Turn) -> Turn:
    if isinstance(turn, Turn):
        return turn
    return Turn((turn,) if isinstance(turn, int) else tuple(turn), 0)
