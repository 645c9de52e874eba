"""Operators that draw random numbers, some of them by kernels.

The numbers are fixed at the push, as a draw of the host's stream, whatever device computes them, so
the same seed gives the same numbers on all devices. Operators without a kernel run NumPy on the
host.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.device_forms import unit_call
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.spec import Attributes, Specs

if TYPE_CHECKING:
    from nbgraph.kernels.draws.uniform import Drawn
    from nbgraph.resource import Resource


_NANOSECONDS = {"float32": 1.3, "float64": 2.5}  # per number
_PER_BYTE = 0.1  # nanoseconds
_WORD = ("i", "int64")  # of a draw, in a kernel's record
DRAW = 3  # words of a draw


class DrawnOp(ArrayOp):
    """An operator that is granted random numbers: the host's, or those of `rng`. If kernels may
    draw for it, its resource has the kind "drawn"."""

    adds = True
    kernels_at_once = False
    trains = False  # whether kernels get a flag that a run trains

    def by_kernels(self, *, trains: bool = False) -> None:
        """Let kernels draw for this operator; their only request is to write."""
        self.kernels, self.draws = ("host", "devices"), DRAW
        self.adds, self.trains = False, trains

    def always(self, attributes: Attributes) -> bool:
        """Return whether the operator acts as in training in every run."""
        return False

    def grant(self, device: Context, attributes: Attributes | None = None) -> tuple[Resource, ...]:
        """Return a generator whose numbers are fixed now."""
        from nbgraph.resource import parallel_random

        return (parallel_random(None if attributes is None else attributes.get("rng")),)

    def draw_words(self, attributes: Attributes) -> tuple[int, int, int]:
        """Return the words of the next draw."""
        from nbgraph.resource.random import draw_of

        return draw_of(attributes.get("rng")).words

    def mode(self, attributes: Attributes) -> bool | None:
        return True if self.always(attributes) else None

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[int]:
        """See ArrayOp: the next draw, then, if kernels need it, whether the run trains."""
        words = self.draw_words(attributes)
        return (*words, int(is_train or self.always(attributes))) if self.trains else words

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: a kernel of contiguous arrays, which always stores the first output."""
        stores = [request != "null" for request in case.requests]
        call = self.drawn_call(case.specs, stores, case.attributes, host=case.host)
        if call is None:
            return None
        count = len(case.operands)
        order = [*(range(count) if self.trains else ())]
        written = [count + k for k, stored in enumerate(stores) if k == 0 or stored]
        call = replace(call, name=self.__name__, order=(*order, *written), writes=len(written))
        return Lowered((call,), case.contiguous(), adds=False)

    def drawn_call(
        self, operands: Specs, stores: Sequence[bool], attributes: Attributes, *, host: bool
    ) -> KernelCall | None:
        """Return the kernel for contiguous operands of these Specs, by `draw_call`, or None if
        there is none. `stores`: which outputs are needed; the first is always stored."""
        return None


def draw_call(
    drawn: Drawn,
    parameters: Sequence[Any],
    size: int,
    *,
    values: int = 0,
    trains: bool = False,
    host: bool,
) -> KernelCall:
    """Return the kernel that draws `size` numbers; its arrays follow from the operator.

    The record: elements and blocks, addresses of the operands that it loads and of the outputs that
    it stores, `parameters`, or `values` many numbers passed at the call, three words of a draw,
    and, if it `trains`, whether a run does.
    """
    words, scalars = drawn.words(*parameters), (_WORD,) * (values + DRAW + trains)
    if not host:
        from nbgraph.kernels.cuda.unit import drawing

        unit, vectors, blocks = drawing(drawn, size)
        call = unit_call(unit, (size, blocks), words, blocks, vectors)
        return replace(call, scalars=scalars)
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.draws.uniform import host_text
    from nbgraph.kernels.scalar.kinds import ITEMSIZE

    code = written(drawn.name, host_text(drawn), drawn.compute)
    nbytes = sum(ITEMSIZE[dtype] for dtype in drawn.arrays.values())
    cost = int(size * (_NANOSECONDS[drawn.compute] + drawn.cost + _PER_BYTE * nbytes))
    tiles = -(-size // drawn.tile)
    return KernelCall(drawn.name, code, (size, 0), (), words, tiles, max(1, cost), scalars)
