"""Tensor operators: the functions that create NodeOps, for any device.

The parameters of an elementwise function are the elements of the input arrays, in their order. The
output is not a parameter: it gets the function's result.
"""

from collections.abc import Callable
from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.push import WEAK
from nbgraph.errors import ArgumentError, noun
from nbgraph.nodes.functions import operator_of
from nbgraph.nodes.kinds import COMBINATIONS
from nbgraph.nodes.nodeop import NodeOp, NoGradient
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import number


def element(fn: Any, out: Any, *ins: Any) -> NodeOp:
    """Return the operation `out = fn(*ins)`, element by element; the arrays broadcast to the shape
    of `out`.

    Parameters
    ----------
    fn : function of numbers, or operator
        Its parameters are the elements of `ins`.
    out : NDArray
    *ins : NDArray or number

    Raises ArgumentError where the number of arrays is not what `fn` takes.

    >>> import nbgraph as ng
    >>> x, y = ng.array([1.0, 2.0]), ng.zeros((2,))
    >>> element(lambda a, b: a * b, y, x, 10)()
    >>> y
    array([10., 20.], dtype=float32)
    """
    return NodeOp("element", _mapper("element", fn, out, ins), out, ins)


def add(fn: Any, out: Any, *ins: Any, scale: float = 1.0) -> NodeOp:
    """Return the operation `out += scale * fn(*ins)`, summed over the axes in which `out` has size
    1 or which it lacks. This is how an operand that was broadcast gets its gradient.

    >>> import nbgraph as ng
    >>> x, total = ng.ones((2, 3)), ng.ones((1, 3))
    >>> add(lambda a: a, total, x, scale=0.5)()
    >>> total
    array([[2., 2., 2.]], dtype=float32)
    """
    mapper = _mapper("add", fn, out, ins)
    return NodeOp("add", mapper, out, ins, request="add", scale=float(scale))


def aggregate(
    fn: Any, init: float, combine: Any, out: Any, *ins: Any, scale: float = 1.0
) -> NodeOp:
    """Return the operation `out = scale * (init combined with all fn(*ins) along the axes in which
    out has size 1)`.

    Parameters
    ----------
    init : number
        Where the combination starts: 0 for sums, 1 for products, -inf for maxima.
    combine : str, operator, or function of two numbers
        "add", "multiply", "max", "min"; or an associative one, such as `ng.logaddexp`.

    >>> import nbgraph as ng
    >>> x, top = ng.array([[1.0, 5.0], [7.0, 2.0]]), ng.zeros((2, 1))
    >>> aggregate(lambda a: a, -float("inf"), "max", top, x)()
    >>> top
    array([[5.],
           [7.]], dtype=float32)
    """
    options = {"init": float(number("aggregate", "init", init)), "combine": combiner(combine)}
    mapper = _mapper("aggregate", fn, out, ins)
    return NodeOp("aggregate", mapper, out, ins, scale=float(scale), options=options)


def aggregate_all(
    fn: Any, init: float, combine: Any, out: Any, x: Any, acc_dtype: Any = None
) -> NodeOp:
    """Return the operation `out = init combined with all fn(x)`; `out` has one element.

    `acc_dtype`: the dtype in which it is computed and accumulated; by default that of `x`, float32
    for 16-bit floats. Blocks of `x` go through temporary space of the resource manager.

    >>> import numpy as np, nbgraph as ng
    >>> x, norm = ng.array(np.full(3000, 8.0, np.float16)), ng.zeros((1,))
    >>> aggregate_all(lambda a: a * a, 0.0, "add", norm, x)()
    >>> norm
    array([192000.], dtype=float32)
    """
    start = float(number("aggregate_all", "init", init))
    options = {"init": start, "combine": combiner(combine), "acc_dtype": acc_dtype}
    mapper = _mapper("aggregate_all", fn, out, (x,))
    if (
        getattr(out, "shape", None) is not None
        and not isinstance(out, NoGradient)
        and out.size != 1
    ):
        raise ArgumentError(
            f"aggregate_all: out has shape {out.shape}; give an array of one element, or use "
            "aggregate for axes"
        )
    return NodeOp("aggregate_all", mapper, out, (x,), options=options)


def prod(
    out: Any,
    a: Any,
    b: Any,
    trans_a: bool = False,
    trans_b: bool = False,
    beta: float = 0.0,
    alpha: float = 1.0,
) -> NodeOp:
    """Return the operation `out = beta * out + alpha * op(a) @ op(b)`; leading axes are batches,
    and broadcast.

    Leading axes that `out` lacks, or has with size 1, are summed over. `trans_a`, `trans_b`
    exchange the last two axes. 16-bit floats are multiplied in float32. BLAS does the work.

    >>> import nbgraph as ng
    >>> a, c = ng.array([[1.0, 2.0]]), ng.ones((2, 2))
    >>> prod(c, a, a, trans_a=True, beta=1.0)()
    >>> c
    array([[2., 3.],
           [3., 5.]], dtype=float32)
    """
    _require("prod", out, (a, b))
    options = {"trans_a": bool(trans_a), "trans_b": bool(trans_b), "beta": float(beta)}
    request = "add" if beta else "write"
    return NodeOp("prod", None, out, (a, b), request=request, scale=float(alpha), options=options)


def run(
    fn: Callable[..., Any], out: Any, *ins: Any, request: str = "write", name: str | None = None
) -> NodeOp:
    """Return the operation of a Python function of NumPy views, `fn(out, *ins)`, which writes (or
    adds to) `out`; on the host alone. `name`: the operation's name."""
    options = {} if name is None else {"of": name}
    return NodeOp("run", fn, out, ins, request=request, options=options)


def compute(fn: Callable[..., Any], out: Any, *ins: Any) -> NodeOp:
    """Return the operation `out += fn(*ins)`, where `fn` computes with operators of the library on
    whole arrays; on any device. Its result broadcasts to the shape of `out`.

    >>> import nbgraph as ng
    >>> x, y = ng.array([3.0, 1.0, 2.0]), ng.zeros(3)
    >>> compute(lambda a: ng.sort(a), y, x)()
    >>> y
    array([1., 2., 3.], dtype=float32)
    """
    _require("compute", out, ins)
    return NodeOp("compute", fn, out, ins, request="add")


# arguments --------------------------------------------------------------------------------------

_COMBINES = {
    spelling: name
    for name, row in COMBINATIONS.items()
    for spelling in (name, row.reduce.__name__, row.two.__name__)
}


def combiner(combine: Any) -> Any:
    """Return "add", "multiply", "max", "min", or an operator of two operands.

    >>> import nbgraph as ng
    >>> combiner(ng.maximum), combiner("sum")
    ('max', 'add')
    """
    if isinstance(combine, str):
        if combine not in _COMBINES:
            raise ArgumentError(
                f"aggregate: combine={combine!r}; expected 'add', 'multiply', 'max', 'min', or a "
                "function of two numbers"
            )
        return _COMBINES[combine]
    mapper = operator_of(combine)
    if mapper.nin != 2:
        raise ArgumentError(
            f"aggregate: combine takes {mapper.nin} element(s); expected a function of two numbers"
        )
    of_library = mapper.__module__.startswith("nbgraph.ops")
    return _COMBINES.get(mapper.__name__, mapper) if of_library else mapper


def _mapper(kind: str, fn: Any, out: Any, ins: tuple[Any, ...]) -> Mapper:
    mapper = operator_of(fn)
    _require(kind, out, ins)
    if mapper.nin != len(ins):
        raise ArgumentError(
            f"{kind}: the function takes {mapper.nin} element(s), {len(ins)} array(s) were given; "
            "give one array for each parameter of the function"
        )
    return mapper


def _require(kind: str, out: Any, ins: tuple[Any, ...]) -> None:
    for position, value in enumerate((out, *ins)):
        if isinstance(value, (Array, NoGradient)) or (position and type(value) in WEAK):
            continue
        what = "out" if not position else f"array {position - 1}"
        raise ArgumentError(
            f"{kind}: {what} is {noun(value)}; expected an array of a node, such as "
            "self.val, self.child(0).val or self.child(0).grad"
        )
