"""Kernels that draw random numbers, as threads of a grid make them: a block of Philox each."""

from __future__ import annotations

from nbgraph.kernels.cuda.unit import Unit, UnitCall, unit
from nbgraph.kernels.draws import Drawn, device_text


def drawing(d: Drawn, parameters: tuple[int, ...], count: int) -> UnitCall:
    """The kernel for `count` numbers; its record goes on with the draw."""
    single, vectors = (_unit(d, vectors=v) for v in (False, True))
    blocks = -(-count // d.block)
    return UnitCall(single, (count, blocks), parameters, blocks, vectors)


def _unit(d: Drawn, *, vectors: bool) -> Unit:
    text, addresses = device_text(d, vectors=vectors), len(d.arrays)
    words = len(d.record.names) - 2 - addresses
    return unit(d.name, text, addresses, words, compute=d.compute)
