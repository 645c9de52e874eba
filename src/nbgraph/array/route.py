"""Routes: how an operator runs on operands seen before, from the call to the engine without asking.

The general way works out dtypes, shapes, kernel and record; a route keeps all of it, as what
`entry` pushes. It declines where something is not as it was: another engine, an open bulk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.array import core as arrays
from nbgraph.array import entry
from nbgraph.array.chunk import Chunk, take
from nbgraph.array.entry_text import ARRAY
from nbgraph.array.place import launcher
from nbgraph.array.push import WEAK
from nbgraph.codegen import builtin
from nbgraph.device import Context
from nbgraph.engine import current
from nbgraph.engine.core.codes import FIXED, LAUNCHED
from nbgraph.engine.handle import Core
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.kernels.capture.names import rewritten
from nbgraph.kernels.scalar.kinds import Word, float_word, whole_word
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, Layouts
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import items_of
from nbgraph.storage import LARGE, pool

if TYPE_CHECKING:
    from nbgraph.engine.plans.instance import Instance

_KEPT = 2048  # routes in a table
_MOST = 4096  # sets of parameters, and whatever else is kept with an operator
VARIED = {"parameters": "numbers"}  # the routes of calls that give them behind the operands
_classes = arrays._class
Push = Callable[..., Any]


class Routes:
    """The routes of an operator with certain parameters, for one engine.

    `push(place, operands)` pushes: the output, a tuple of several, or None where the general way
    is needed, see `entry`. A caller who gives the number of a line, or a third argument, tells the
    recorder.
    `steps`: by the layouts of operands, what pushes several kernels or copies; see `steps`.
    """

    __slots__ = ("core", "count", "push", "steps", "table")

    def __init__(self) -> None:
        self.count = 0
        self.core: Core | None = None
        self.table: dict[Any, Any] = {}
        self.steps: dict[Any, Any] = {}
        self.push: Push = declines
        if builtin.available():
            self.push = entry.over(self.table, _classes[0])

    def learn(
        self,
        call: KernelCall | None,
        outputs: Layouts,
        operands: Sequence[Any],
        order: Sequence[int] | None = None,
        parameters: Sequence[tuple[Any, int]] = (),
        over: Over | None = None,
        device: Context | None = None,
    ) -> bool:
        """Remember the way that a call has gone, if its like may come again; whether it may. None:
        the way is not known. `order`: of the operands' addresses in the record, where it is not
        theirs. `parameters`: of the numbers behind the operands, kinds and places among the words
        of the call. `over`: no new arrays are written, but one that is there. `device`: of the
        results of a draw, whose numbers are words."""
        engine = current()
        if not isinstance(engine, ThreadedEngine) or not engine._open_gate():
            return False
        if self.push is declines or call is None:
            return False
        route = _route(call, outputs, engine, operands, order, parameters, over, device)
        if route is None:
            return False
        if over is not None:
            operands = over.ordered(operands)
        if engine._live is not self.core or self.count >= _KEPT:
            self.table.clear()
            self.count = 0
            self.core = engine._live
        level = self.table
        *before, last = [v._layout if type(v) is _classes[0] else type(v) for v in operands]
        for key in before:
            level = level.setdefault(key, {})
        level[last] = route
        self.count += 1
        return True


def declines(*arguments: object) -> None:
    """Return None, where no interpreter's entry serves."""


def routes_of(op: Mapper | ArrayOp, attributes: Attributes, operands: int = 0) -> Routes | None:
    """Return the routes of an operator with these parameters, and so many operands where the number
    is not its own, or None where there are none and will not be."""
    key = ("routes", operands, *items_of(attributes)) if attributes or operands else "routes"
    try:
        routes: Routes | None = op.carried.get(key)
    except TypeError:  # a parameter that is an array or a list
        return None
    if routes is None:
        if len(op.carried) > _MOST:
            return None
        routes = op.carried[key] = Routes()
    return routes


def shortcut(op: Mapper, push: Push) -> Push:
    """Return a function that gives what `push` gives, or None where texts have changed."""
    watched, cells, attributes, texts = op.scalar.watch.checks()
    closed = bool(cells or attributes)
    if not (watched or closed or texts):
        return push

    def run(*arguments: Any) -> Any:
        for space, name, value in watched:
            if space.get(name) is not value:
                return None
        if rewritten(texts) or (closed and op.refresh_needed()):
            return None
        return push(*arguments)

    return run


class Over(NamedTuple):
    """An array that a call writes over; `whole`: nothing else is in its chunk, and no operand.
    `fits`: it has been seen to that integers are what its dtype can hold."""

    array: Any
    whole: bool
    fits: bool = False

    def ordered(self, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Return operands as the entry takes them: what is written comes last."""
        own = self.array
        others = [v for v in operands if v is not own]
        return (*others, *[own] * (len(operands) - len(others)), own)


def _route(
    call: KernelCall,
    outputs: Layouts,
    engine: ThreadedEngine,
    operands: Sequence[Any],
    order: Sequence[int] | None,
    parameters: Sequence[tuple[Any, int]],
    over: Over | None,
    device: Context | None,
) -> tuple[Any, ...] | None:
    """Return the route that a call has gone, or None: its like has to be looked at."""
    arrays = [i for i, v in enumerate(operands) if type(v) not in WEAK]
    own = [operands[i] for i in arrays] if over is None else [*operands, over.array]
    own = [v for v in own if type(v) not in WEAK]
    if not outputs[0].size or any(type(v) is not _classes[0] for v in own):
        return None  # lifted
    fits = device is not None or (over is not None and over.fits)
    device = own[0]._chunk.device if own else device
    if device is None or not device.host:
        return None  # what routes push runs on the host
    kinds = [_kind(*scalar, fits=fits) for scalar in call.scalars]
    if len(kinds) > len([v for v in operands if type(v) in WEAK]) - len(parameters):
        kinds = [kind | Word.PAIR for kind in kinds[::2]]
    places = arrays if order is None else order
    return _described(outputs, call, engine, operands, places, kinds, parameters, over, device)


def _kind(kind: str, precision: str, *, fits: bool) -> int:
    """Return what becomes of a number."""
    if kind == "f":
        return float_word(precision)
    return Word.WHOLE if fits or precision == "bool" else whole_word(precision)


def _described(
    outputs: Layouts,
    call: KernelCall,
    engine: ThreadedEngine,
    operands: Sequence[Any],
    arrays: Sequence[int],
    kinds: Sequence[Any],
    parameters: Sequence[tuple[Any, int]],
    over: Over | None,
    device: Context,
) -> tuple[Any, ...] | None:
    """Return the tuple for the entry, or None where there is no room for it. `arrays`: operands in
    the order of their addresses in the record."""
    core = engine._live
    assert core is not None
    whole = over is None or over.whole
    fixed = launcher(call, engine, len(arrays), len(outputs), whole).fixed
    push = _push(engine, core, "submit", (core.address, *fixed), device)
    head, steps = call.head, call.words
    at = len(head)  # of addresses: operands', then outputs'; behind them steps and numbers
    written = at + len(arrays)
    number = written + len(outputs) + len(steps)
    blank = [0] * (len(arrays) + len(outputs))
    record = [*head, *blank, *steps, *[0] * len(call.scalars), *call.tail]
    record += [0] if parameters else []  # of parameters that nothing reads
    places = {i: (ARRAY, at + k) for k, i in enumerate(arrays)}
    numbers = iter(
        [
            *[(k, number + i * (1 + bool(k & Word.PAIR))) for i, k in enumerate(kinds)],
            *[(k, number - len(steps) + p if p >= 0 else len(record) - 1) for k, p in parameters],
        ]
    )
    pairs = [places[i] if i in places else next(numbers) for i in range(len(operands))]
    new = [output_of(own, device, arrays, written + k) for k, own in enumerate(outputs)]
    if over is not None:
        last = [i for i, v in enumerate(operands) if v is over.array]
        first = [i for i in range(len(operands)) if i not in last]
        pairs, new = [*[pairs[i] for i in (*first, *last)], (ARRAY, written)], []
    if not entry.fits(len(pairs), len(new), len(record)):
        return None
    return (*entry.describe(push, pairs, new, record), call)  # its kernel is kept


def _push(
    engine: ThreadedEngine, core: Core, name: str, fixed: Sequence[int], device: Context
) -> entry.Push:
    """Return what the entry knows of pushes by an entry of the core."""
    submit, in_use = core.unit.address(name), core.unit.address("in_use")
    ids, gate, place_of = engine._names.site_ids, engine._owner.gate, engine._names.site_at
    return entry.Push(submit, in_use, fixed, core, gate, device, ids, place_of, core.attach)


def of_plan(
    instance: Instance,
    layouts: Layouts,
    outputs: Layouts,
    variables: Sequence[int],
    words: Sequence[tuple[int, int]],
    count: int,
    device: Context,
    numbers: int = 0,
) -> Push | None:
    """Return what pushes a run of a plan over arrays of these layouts, and so many words behind
    them, as `Routes.push` does, or None where it has none. `variables`: for each outside
    one of the plan its number among the `count` of the arrays, outputs last; `words`: for each the
    number of an array, and bytes from its address on."""
    launched, arrays = instance.launched, len(layouts) + len(outputs) + numbers
    if launched is None or not layouts or not device.host or not builtin.available():
        return None
    engine, core, template = launched
    behind = range(arrays - numbers, arrays)  # words are as addresses to which nothing is added
    words = [*words, *[(place, 0) for place in behind]]
    record = [*[0] * arrays, *variables, *chain.from_iterable(words)]
    room = len(record) + LAUNCHED + len(variables) + len(words)
    if not entry.fits(len(layouts) + numbers, len(outputs), room) or not all(
        own.size for own in outputs
    ):
        return None
    fixed = core.address, template, arrays, len(variables), len(words), count
    push = _push(engine, core, "launch_arrays", (*fixed, *[0] * (FIXED - 1 - len(fixed))), device)
    every = range(len(layouts))
    new = [output_of(own, device, every, len(layouts) + k) for k, own in enumerate(outputs)]
    pairs = [*[(ARRAY, i) for i in every], *[(Word.WHOLE, place) for place in behind]]
    route: Any = (*entry.describe(push, pairs, new, record), instance)
    for own in (*[int] * numbers, *reversed(layouts)):
        route = {own: route}
    return entry.over(route, _classes[0])


def output_of(own: Layout, device: Context, arrays: Sequence[int], place: int) -> entry.Output:
    """Return where an output's block comes from. What has no elements is never written, which would
    clear a failure of the block's last owner."""
    size_class: Any = pool(device).bin(own.nbytes)
    free = size_class.free
    small = size_class.size < LARGE and own.size > 0 and type(free) is list

    def another(*operands: Any) -> Chunk:
        return take(own.nbytes, device, [operands[i]._chunk for i in arrays])

    return entry.Output(own, free if small else [], size_class.takes, another, place)
