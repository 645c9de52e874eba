"""Routes: how an operator runs on operands seen before, from the call to the engine without asking.

The general way works out dtypes, shapes, kernel and record; a route keeps all of it. It declines
(None) where something is not as it was: another engine, a busy bulk, memory of another core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array import core as arrays
from nbgraph.array.chunk import Chunk, take
from nbgraph.array.launch import scalar_word
from nbgraph.array.layout import Layout
from nbgraph.array.push import WEAK, Carried
from nbgraph.engine import current
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.launcher import Launcher
from nbgraph.operator.mapper import Mapper
from nbgraph.storage import LARGE, Bin, pool

_KEPT = 2048  # routes that an operator keeps

_new = object.__new__
_classes = arrays._class


class Route:
    """An operator for operands of known layouts on one device, with outputs of its own."""

    __slots__ = (
        *("arrays", "core", "device", "engine", "launchers", "numbers", "outputs"),
        *("prepared", "single"),
    )

    def __init__(self, found: Carried, operands: Sequence[Any], engine: Kernels) -> None:
        self.prepared = next(iter(found.prepared.values()))
        self.single = len(found.outputs) == 1
        self.arrays = [i for i, v in enumerate(operands) if type(v) not in WEAK]
        numbers = [i for i, v in enumerate(operands) if type(v) in WEAK]
        self.numbers = list(zip(numbers, self.prepared.scalars, strict=True))
        self.device = operands[self.arrays[0]]._chunk.device
        assert engine._core is not None
        self.engine, self.core = engine, engine._core
        own = pool(self.device)
        self.outputs = [(o, own.bin(o.nbytes)) for o in found.outputs]
        self.launchers: dict[int, Launcher] = {}  # by the number of distinct chunks read

    def run(self, operands: Sequence[Any], site: int = 0) -> Any:
        """Push it; the output or a list of them, or None where the general way is needed.

        `site` is what `Kernels.site_id` gave for the line of user code, 0 if nobody asked.
        """
        engine, core, device = self.engine, self.core, self.device
        if core is not engine._core or engine is not engine._owner.engine or engine._bulks:
            return None
        prepared = self.prepared
        words: list[int] = []
        record = [*prepared.head]
        # plain loops: a comprehension costs a call
        for i in self.arrays:
            array = operands[i]
            chunk = array._chunk
            if chunk._core is not core or chunk.device is not device:
                return None
            word = chunk._address << 2
            if word not in words:
                words.append(word)
            record.append(array._address)
        launcher = self.launchers.get(len(words))
        if launcher is None:
            launcher = self.prepared.launcher(engine, len(words), len(self.outputs), True)
            self.launchers[len(words)] = launcher
        made: list[Any] = []
        for own, size_class in self.outputs:
            array = _taken(own, size_class, operands, self.arrays)
            chunk = array._chunk
            words.append((chunk._address if chunk._core is core else core.attach(chunk)) << 2)
            record.append(chunk.address)
            made.append(array)
        record += prepared.steps
        for i, scalar in self.numbers:
            record.append(scalar_word(operands[i], *scalar))
        record += prepared.outer
        site = site or engine.site_id()
        if launcher._core is not core or (
            launcher._bound(site, launcher._count, *words, *record) <= 0
        ):
            reads = list(dict.fromkeys([operands[i]._chunk for i in self.arrays]))
            launcher([*reads, *[a._chunk for a in made]], record, site)
        return made[0] if self.single else made


def _taken(
    own: Layout, size_class: Bin[Chunk], operands: Sequence[Any], arrays: Sequence[int]
) -> Any:
    """An array of a layout, its values not set."""
    block: Chunk
    if size_class.size < LARGE:
        next(size_class.takes)
        try:
            block = size_class.free.pop()
        except IndexError:
            block = size_class.miss()
    else:
        chunks = [operands[i]._chunk for i in arrays]
        block = take(own.nbytes, chunks[0].device, chunks)
    made = _new(_classes[0])
    made._holder = made._node = None
    made._chunk = block
    made._address = block.address
    made._layout = own
    made._output = made._stamp = 0
    return made


def key_of(operands: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """What routes are found by."""
    kind = _classes[0]
    own = [v._layout if type(v) is kind else type(v) for v in operands]
    return (*own, *attributes.items()) if attributes else tuple(own)


def learn(op: Mapper, key: Any, found: Carried, operands: Sequence[Any]) -> None:
    """Remember the way that a call has gone, if its like may come again."""
    enter(op.carried.setdefault("routes", {}), key, found, operands)


def enter(routes: dict[Any, Route], key: Any, found: Carried, operands: Sequence[Any]) -> None:
    """Put the way that a call has gone into a table, if there is one."""
    engine = current()
    if not isinstance(engine, Kernels) or engine._core is None or len(found.prepared) != 1:
        return
    for value, dtype in zip(operands, found.plan.typed.operands, strict=True):
        if type(value) is not _classes[0] and (type(value) not in WEAK or dtype.kind in "iu"):
            return  # lifted, or to be looked at whether the number fits
    if not found.outputs[0].size or all(type(v) in WEAK for v in operands):
        return
    if len(routes) >= _KEPT:
        routes.clear()
    routes[key] = Route(found, operands, engine)
