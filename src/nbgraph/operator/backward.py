"""Gradients through an operator, for every kind of array.

A scalar operator has an operator of its in-gradients, with a list of what that reads; an operator
over whole arrays has a gradient rule.
"""

from collections.abc import Sequence
from functools import partial
from types import FunctionType
from typing import Any, Literal

from nbgraph.errors import DerivativeError
from nbgraph.kernels.function.derived import Backward, output_index
from nbgraph.kernels.function.scalar_function import Scalar
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.mapper.forms import Derived
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.namespace import Namespace
from nbgraph.operator.spec import Spec
from nbgraph.shape import spreads

_library = Namespace("nbgraph.ops")  # a higher room
_CACHE = "backward passes"  # kept with the operator, which drops them when it changes


def backward(op: Mapper, wrt: tuple[str, ...] | None = None) -> Mapper:
    """Return the operator of in-gradients of `op`, in operand order, from `out_grad` and what its
    derivative reads.

    `wrt`: operands whose gradients are needed, by default all.

    Its operands are `out_grad` (one per output), then `out` if the derivative reads the output
    (T1), then the kept operands (T2).
    derivative is written with the output (T1), then the operands that are kept (T2).

    >>> import numpy as np, math
    >>> import nbgraph as ng
    >>> from nbgraph.operator.backward import backward
    >>> sigmoid = ng.op(lambda x: 1 / (1 + math.exp(-x)))
    >>> backward(sigmoid).scalar.operands
    ('out_grad', 'out')
    >>> backward(sigmoid)(1.0, 0.5)
    np.float64(0.25)
    """
    return _make(op, False, wrt)


def forward_backward(op: Mapper) -> Mapper:
    """Return the operator of outputs and in-gradients in one pass, from `out_grad` and operands."""
    return _make(op, True, None)


def _make(op: Mapper, forward: bool, wrt: tuple[str, ...] | None) -> Mapper:
    op.refresh()
    cache = op.carried.setdefault(_CACHE, {})
    key = forward, wrt
    if key not in cache:
        scalar: Scalar = Backward(
            op.scalar,
            forward=forward,
            memory=op.prefer == "memory",
            gradient=op.hand_gradient,
            wrt=wrt,
        )
        mapper = Mapper(scalar, fastmath=op.fastmath, certify=op.certify)
        mapper.origin = Derived(_make, (op, forward, wrt))
        cache.setdefault(key, mapper)  # another thread may have been faster
    return cache[key]


class MapVjp:
    """The in-gradients of some operands of a scalar operator, in one pass over the elements.

    `wrt`: operand indices, in the order of the results of `reverse`. `reverse`: the operator; its
    operands are the out-gradients, then the values in `reads`. `reads`: ("in", i) is operand i of
    the operator, ("out", k) its output k. `problem`: the DerivativeError if there is no derivative.
    """

    __slots__ = ("problem", "reads", "reverse", "wrt")

    def __init__(self, op: Mapper, wrt: Sequence[int]) -> None:
        self.wrt = wrt
        self.problem: DerivativeError | None = None
        self.reads: list[tuple[Literal["in", "out"], int]] = []
        own = op.scalar.operands
        try:
            self.reverse = backward(
                op, None if len(wrt) == len(own) else tuple(own[i] for i in wrt)
            )
        except DerivativeError as problem:
            self.problem = problem
            return
        for name in self.reverse.scalar.operands[op.nout :]:
            # an operand named "out" has precedence: the gradient then reads operands alone
            if name in own:
                self.reads.append(("in", own.index(name)))
            else:
                self.reads.append(("out", output_index(name)))

    def require(self) -> None:
        """Raise DerivativeError if there is no derivative."""
        if self.problem is not None:
            raise type(self.problem)(str(self.problem)) from self.problem


def map_vjp(op: Mapper, wrt: tuple[int, ...]) -> MapVjp:
    """Return how gradients flow to the operands `wrt` of a scalar operator, from a cache."""
    op.refresh()
    cache = op.carried.setdefault("vjp", {})
    if wrt not in cache:
        cache[wrt] = MapVjp(op, wrt)
    return cache[wrt]


def rule_vjp(gradients: Gradients) -> Sequence[Any]:
    """Return the needed in-gradients of an operator over whole arrays by its rule, in operand
    order, with the operands' shapes and dtypes.

    A rule may omit trailing gradients that are None, and return functions without arguments instead
    of values, which are called if the gradient is needed. Raises DerivativeError if the operator
    has no rule, or a gradient does not fit its operand.
    """
    op = gradients.op
    if op.rule is None:
        raise DerivativeError(
            f"{op.__name__}: it has no gradient; use ng.stop_gradient where none should flow, or "
            "give one with ng.autograd.Function"
        )
    slopes, count = [*op.rule(gradients)], len(gradients.specs)
    slopes += [None] * (count - len(slopes))
    for i, (slope, wanted) in enumerate(zip(slopes, gradients.wanted, strict=True)):
        value = slope() if wanted and type(slope) in (FunctionType, partial) else slope
        slopes[i] = _fit_gradient(value, gradients, i) if wanted and value is not None else None
    return slopes


def _fit_gradient(value: Any, g: Gradients, index: int) -> Any:
    """Return a gradient summed over the axes along which its operand was broadcast, in the
    operand's dtype; for a real operand its real part."""
    spec: Spec = g.specs[index]
    shape, dtype = getattr(value, "shape", spec.shape), getattr(value, "dtype", spec.dtype)
    if shape != spec.shape:
        if not spreads(spec.shape, tuple(shape)):
            raise DerivativeError(
                f"{g.op.__name__}: its gradient rule gives shape {shape} for "
                f"{g.op.operand_name(index)} of shape {spec.shape}; expected the operand's"
            )
        value = _library.sum_to(value, spec.shape)
    if dtype.kind == "c" and spec.dtype.kind != "c":
        value = _library.real(value)
        dtype = value.dtype
    return value if dtype == spec.dtype else _library.astype(value, spec.dtype)
