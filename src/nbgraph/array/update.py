"""The quick way to write over an array, by `a op= b`, `out=a` or `a[key] = b`: routes whose last
operand is the array.

It declines where something is not as it was: another engine or device, an open bulk, a function
that the engine runs, memory that is lent, operands that share memory. The general way takes the
call then.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.push import WEAK
from nbgraph.array.route import Over, Push, Routes, shortcut
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.mapper.mapper import Mapper


def written(push: Push, place: Any, operands: tuple[Any, ...], out: Array) -> bool:
    """Push by a route over an array, the last of the operands; return whether it was."""
    memory = out._chunk
    if memory.locked or memory.leases or push(place, operands) is None:
        return False
    memory.writes += 1
    return True


def known_over(op: Mapper, operands: Sequence[Any], out: Any, place: Any) -> bool:
    """Push `op` over an array whose memory no other operand has, as it was pushed before; return
    False where the general way is needed."""
    routes = op.carried.get(_key(operands, out)) if isinstance(out, Array) else None
    if routes is None:
        return False
    memory = out._chunk
    for value in operands:
        if value is not out and type(value) not in WEAK:
            if type(value) is not type(out) or value._chunk is memory:
                return False
    return written(routes.push, place, Over(out, whole=False).ordered(operands), out)


def learn_over(op: Mapper, operands: Sequence[Any], out: Any, call: KernelCall) -> None:
    """Remember the kernel that has just been pushed over an array."""
    key = _key(operands, out)
    if any(v is not out and getattr(v, "_chunk", None) is out._chunk for v in operands):
        return
    routes = op.carried.get(key) or op.carried.setdefault(key, Routes())
    over = Over(out, whole=key[1] and all(v is not out for v in operands))
    if routes.learn(call, [out._layout], operands, over=over) and op.over is None:
        op.over = shortcut(op, functools.partial(known_over, op))


def _key(operands: Sequence[Any], out: Any) -> tuple[Any, ...]:
    """Return the key of the routes: whether the array is all of its chunk, and its place."""
    holder, own = out._holder, out._layout
    whole = holder is None or (own.contiguous and own.nbytes == holder.nbytes)
    return ("over", whole, *[value is out for value in operands])
