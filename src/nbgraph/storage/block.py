"""Blocks: what pools hand out. Memory of a size class, with whatever belongs to it for good.

A block goes back to its pool as a whole. An array's block carries an engine variable, so the next
taker gets memory and variable together, and the engine orders its writes behind the last reader of
the former owner: a block may be given back while work on it is still pending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgraph.storage.memory import Memory

if TYPE_CHECKING:
    from nbgraph.storage.pools import Bin


class Block:
    """What every block has. It has no layout of its own, so that it mixes with any class."""

    __slots__ = ()

    memory: Memory
    address: int  # of the memory
    capacity: int  # bytes of the memory
    bin: Bin  # its size class, to which it goes back


class PlainBlock(Block):
    """A block that carries nothing else."""

    __slots__ = ("address", "bin", "capacity", "memory")

    def __init__(self, memory: Memory, bin: Bin) -> None:
        self.memory = memory
        self.address = memory.address
        self.capacity = memory.nbytes
        self.bin = bin

    def __repr__(self) -> str:
        return f"<block of {self.capacity} bytes on {self.memory.device!r}>"
