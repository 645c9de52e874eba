"""The fast path of writes to an existing array, by `a op= b`, `out=a` or `a[key] = b`: routes whose
last operand is the array.

It declines if the state has changed: another engine or device, an open bulk, a function that the
engine runs, memory that is lent, operands that share memory. Then the slow path takes the call.
"""

import functools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.core import COPIED, Array, lift
from nbgraph.array.push import WEAK
from nbgraph.array.route import Over, Push, Routes, shortcut
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import Attributes, items_of

_NONE: Attributes = {}


def written(push: Push, place: Any, operands: tuple[Any, ...], out: Array) -> bool:
    """Push by a route that writes `out`, the last operand; return False where it declines."""
    memory = out._chunk
    if memory.locked or memory.leases or push(place, operands) is None:
        return False
    memory.writes += 1
    return True


def write_over(
    op: Any, operands: Sequence[Any], out: Any, place: Any, attributes: Attributes = _NONE
) -> bool:
    """Push `op` by the route of an earlier call that wrote an array like `out`, whose memory no
    other operand shares; return False where the slow path is needed. NumPy arrays are copied."""
    if not isinstance(out, Array):
        return False
    routes = op.carried.get(_key(operands, out, attributes))
    if routes is None:
        return False
    memory = out._chunk
    for value in operands:
        if value is not out and type(value) not in WEAK:
            if type(value) in COPIED:
                operands = lift(op.__name__, (), operands)
            elif type(value) is not type(out) or value._chunk is memory:
                return False
    return written(routes.push, place, Over(out, whole=False).ordered(operands), out)


def learn_over(
    op: Any,
    operands: Sequence[Any],
    out: Any,
    call: KernelCall,
    attributes: Attributes = _NONE,
    order: Sequence[int] | None = None,
) -> None:
    """Remember the kernel call that wrote `out`. `order`: for operators over whole arrays, which
    need no check of integers; see `Routes.learn`."""
    key = _key(operands, out, attributes)
    if any(v is not out and getattr(v, "_chunk", None) is out._chunk for v in operands):
        return
    routes = op.carried.get(key) or op.carried.setdefault(key, Routes())
    whole = key[1] and all(v is not out for v in operands)
    over = Over(out, whole=whole, fits=order is not None)
    if routes.learn(call, [out._layout], operands, order, over=over) and op.over is None:
        push = functools.partial(write_over, op)
        op.over = shortcut(op, push) if isinstance(op, Mapper) else push


def _key(operands: Sequence[Any], out: Any, attributes: Attributes) -> tuple[Any, ...]:
    """Return the key of the routes: attributes, the place of `out` among the operands, and whether
    it covers its chunk."""
    holder, own = out._holder, out._layout
    whole = holder is None or (own.contiguous and own.nbytes == holder.nbytes)
    key = ("over", whole, *[value is out for value in operands])
    return (*key, *items_of(attributes)) if attributes else key
