"""Kernels that draw random numbers, as threads of a grid make them: a block of Philox each."""

from __future__ import annotations

from nbgraph.kernels.cuda.unit import Unit, unit
from nbgraph.kernels.draws import Drawn, device_text


def drawing(d: Drawn, count: int) -> tuple[Unit, Unit, int]:
    """Return the kernel for `count` numbers, that for aligned ones, and the blocks."""
    return _unit(d, vectors=False), _unit(d, vectors=True), -(-count // d.block)


def _unit(d: Drawn, *, vectors: bool) -> Unit:
    text, addresses = device_text(d, vectors=vectors), len(d.arrays)
    words = len(d.record.names) - 2 - addresses
    return unit(d.name, text, addresses, words, compute=d.compute)
