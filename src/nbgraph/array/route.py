"""Routes: the fast path of an operator for operands with the layouts of an earlier call.

The slow path determines dtypes, shapes, kernel and record; a route caches them in the form that
`entry` pushes. It declines if the state has changed: another engine, an open bulk.
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
_MOST = 4096  # entries of an operator's `carried`, such as tables by parameters
VARIED = {"parameters": "numbers"}  # the key of calls with parameters after the operands
_classes = arrays._class
Push = Callable[..., Any]


class Routes:
    """The routes of an operator with certain parameters, for one engine.

    `push(place, operands)` returns the output (a tuple of several), or None where the slow path is
    needed, see `entry`. Callers that pass the number of a line, or a third argument, have to record
    the call themselves. `steps`: layouts of operands -> `Steps` of several kernels or copies.
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
        """Remember the route of a call; return whether later calls may use it. A `call` of None has
        no route. `order`: the order of the operands' addresses in the record, if it is not theirs.
        `parameters`: kinds of the numbers after the operands, and their indices among the call's
        words. `over`: the existing array that is written. `device`: that of the results of a draw,
        whose numbers are words."""
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
    """Decline every call: the push function where the interpreter has no compiled entry."""


def routes_of(op: Mapper | ArrayOp, attributes: Attributes, operands: int = 0) -> Routes | None:
    """Return the routes of an operator with these parameters, or None if it cannot have any;
    `operands`: their number, for operators where it varies."""
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
    """Return a function like `push` that returns None after a scalar function's text changed."""
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
    """The existing array that a call writes. `whole`: it covers its chunk, which has no operand.
    `fits`: integers have been checked to fit its dtype."""

    array: Any
    whole: bool
    fits: bool = False

    def ordered(self, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Return the operands in the entry's order: the written array comes last."""
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
    """Return the route of a call, or None where such calls need the slow path."""
    arrays = [i for i, v in enumerate(operands) if type(v) not in WEAK]
    own = [operands[i] for i in arrays] if over is None else [*operands, over.array]
    own = [v for v in own if type(v) not in WEAK]
    if not outputs[0].size or any(type(v) is not _classes[0] for v in own):
        return None  # lifted
    fits = device is not None or (over is not None and over.fits)
    device = own[0]._chunk.device if own else device
    if device is None or not device.host:
        return None  # routes push on the host only
    kinds = [_kind(*scalar, fits=fits) for scalar in call.scalars]
    if len(kinds) > len([v for v in operands if type(v) in WEAK]) - len(parameters):
        kinds = [kind | Word.PAIR for kind in kinds[::2]]
    places = arrays if order is None else order
    return _described(outputs, call, engine, operands, places, kinds, parameters, over, device)


def _kind(kind: str, precision: str, *, fits: bool) -> int:
    """Return the code for the conversion of a number."""
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
    """Return the entry's tuple for a route, or None if it is too long. `arrays`: operands in the
    order of their addresses in the record."""
    core = engine._live
    assert core is not None
    whole = over is None or over.whole
    fixed = launcher(call, engine, len(arrays), len(outputs), whole).fixed
    push = _push(engine, core, "submit", (core.address, *fixed), device)
    head, steps = call.head, call.words
    at = len(head)  # start of the addresses of operands and outputs; strides and numbers follow
    written = at + len(arrays)
    number = written + len(outputs) + len(steps)
    blank = [0] * (len(arrays) + len(outputs))
    record = [*head, *blank, *steps, *[0] * len(call.scalars), *call.tail]
    record += [0] if parameters else []  # the word for parameters that the kernel does not read
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
    return (*entry.describe(push, pairs, new, record), call)  # the call keeps the kernel alive


def _push(
    engine: ThreadedEngine, core: Core, name: str, fixed: Sequence[int], device: Context
) -> entry.Push:
    """Return the entry's constants of pushes by an entry of the core."""
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
    """Return a function like `Routes.push` that pushes a run of a plan over arrays of these layouts
    and `numbers` words after them, or None. `variables`: for each outside variable of the plan, its
    index among the `count` of the arrays, outputs last; `words`: for each word, the index of an
    array and the offset from its address in bytes."""
    launched, arrays = instance.launched, len(layouts) + len(outputs) + numbers
    if launched is None or not layouts or not device.host or not builtin.available():
        return None
    engine, core, template = launched
    behind = range(arrays - numbers, arrays)  # words count as addresses with offset 0
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
    """Return the source of an output's block. An output without elements gets a new block, as no
    write would clear a failure of the block's last owner."""
    size_class: Any = pool(device).bin(own.nbytes)
    free = size_class.free
    small = size_class.size < LARGE and own.size > 0 and type(free) is list

    def another(*operands: Any) -> Chunk:
        return take(own.nbytes, device, [operands[i]._chunk for i in arrays])

    return entry.Output(own, free if small else [], size_class.takes, another, place)
