"""The fast path of loose programs: one compiled call, by the entry of routes.

It serves runs with arrays, draws and a mode only (the latter are numbers after the arrays), on the
compiled engine of the host. Runs that it declines go through `Program.push`, the specification,
with the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from nbgraph.array.core import Array
from nbgraph.array.route import of_plan
from nbgraph.engine import current
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.call import training

if TYPE_CHECKING:
    from nbgraph.executor.program import Program


class FastPath:
    """The fast path of a program; see the module."""

    __slots__ = ("_new", "_push", "_entry", "numbers")

    def __init__(self) -> None:
        self.numbers: Sequence[int] | None = None  # of a run that was declined
        self._push: Callable[..., Any] | None = None
        self._entry: object = None  # `Instance.way` that `_push` uses
        self._new = False  # whether `learn` has seen one run by that entry

    def push(self, program: Program, place: FrameType, arrays: tuple[Array, ...]) -> Any:
        """Push a run; return its result, a tuple of several, or None if it is declined."""
        push = self._push
        if push is None or program.compiled is not program.target:
            return None
        if program.instance.way is not self._entry:
            return None
        if not program.number_count:
            return push(place, arrays, True)
        numbers = program.numbers(program.granted(), is_train=training.get())
        result = push(place, (*arrays, *numbers), True)
        if result is None:
            self.numbers = numbers
        return result

    def learn(self, program: Program, arrays: Sequence[Array], results: int) -> None:
        """Prepare the fast path for runs like the one over these arrays, the last of which are its
        results; it acts at the second run, as many functions are called once."""
        engine, device, instance = current(), program.compiled.device, program.instance
        if not isinstance(engine, ThreadedEngine) or not engine._open_gate():
            return
        if not device.host or instance is None or program.compiled is not program.target:
            return
        if instance.way is not self._entry:
            self._entry, self._push, self._new = instance.way, None, program.alone
            return
        if not self._new:
            return
        self._new = False
        layouts, every = [a._layout for a in arrays], list(range(len(arrays)))
        merged = program.merged
        first = [*merged, *every[len(merged) :]]  # the first array with the same variable
        ranks = {k: rank for rank, k in enumerate(sorted(set(first)))}
        variables = [ranks[first[k]] for k in program.variables_of(every)]
        inputs, words = len(arrays) - results, program.words_of(every)
        own = layouts[:inputs], layouts[inputs:]
        numbers = program.number_count
        self._push = of_plan(instance, *own, variables, words, len(ranks), device, numbers)
