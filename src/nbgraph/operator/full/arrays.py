"""Arrays for operators that users write, from the arrays of any carrier."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.request import OpReqType, Requests, kNullOp, kWriteInplace, kWriteTo
from nbgraph.operator.spec import Spec, Specs
from nbgraph.shape import Array, Arrays


class Results:
    """Arrays to write, in C order, with requests; `deliver` copies them to targets elsewhere.

    `targets`: an array per result, or the spec of one that is not needed. An in-place request gets
    a separate array if the target is not contiguous, or if no pair (operand, output) of `rights`
    names it: in-place writes need a declared right.
    """

    def __init__(
        self, targets: Sequence[Array | Spec], requests: Requests, rights: Sequence[tuple[int, int]]
    ) -> None:
        self.targets = targets
        arrays = map(_target, targets, requests, range(len(targets)), itertools.repeat(rights))
        self._originals, self.requests = zip(*arrays, strict=True)
        self.arrays: list[Array] = list(self._originals)

    def deliver(self, op: str, what: str) -> None:
        """Copy results in separate arrays to their targets."""
        for k, (target, array) in enumerate(zip(self.targets, self._originals, strict=True)):
            if self.arrays[k] is not array:
                raise _replaced(op, what, k)
            if target is not array and self.requests[k] is not kNullOp:
                np.copyto(target, array)  # type: ignore[arg-type]


def _target(
    out: Any, request: OpReqType, index: int, rights: Sequence[tuple[int, int]]
) -> tuple[Array, OpReqType]:
    """Return the array to write, and its request."""
    if request is kNullOp:
        nothing = np.broadcast_to(np.zeros((), out.dtype), out.shape)
        return nothing, kNullOp  # read-only, takes no memory
    contiguous = out.flags.c_contiguous
    if request is kWriteInplace and not (contiguous and any(k == index for _, k in rights)):
        return np.empty(out.shape, out.dtype), kWriteTo
    if contiguous:
        return out, request
    return out.copy("C"), request  # an addition needs the old values


def read_only(array: Array) -> Array:
    """Return the array in C order, as a read-only view."""
    if not array.flags.c_contiguous:
        array = array.copy("C")
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


class States:
    """Auxiliary states, which are writable in training."""

    def __init__(self, targets: Arrays, *, writable: bool) -> None:
        self.writable, self._targets = writable, targets
        self.arrays = [np.asarray(a, order="C") if writable else read_only(a) for a in targets]
        self._originals = tuple(self.arrays)

    def deliver(self, op: str) -> None:
        """Copy states in separate arrays to their targets."""
        for k, (target, array) in enumerate(zip(self._targets, self._originals, strict=True)):
            if self.arrays[k] is not array:
                raise _replaced(op, "aux_states", k)
            if self.writable and target is not array:
                np.copyto(target, array)


NO_STATES = States((), writable=False)


def _replaced(op: str, what: str, index: int) -> ArgumentError:
    item = f"{what}[{index}]"
    return ArgumentError(
        f"{op}: {item} was replaced by another array, which nobody sees; write into it, as "
        f"{item}[:] = value or self.assign({item}, req[{index}], value)"
    )


def call_function(
    op: str, what: str, function: Callable[..., Any], arguments: Any, specs: Specs
) -> None:
    """Call a user's `forward` or `backward`; errors get a note that names it and its operands."""
    try:
        result = function(*arguments)
    except Exception as error:
        listed = ", ".join(map(str, specs)) or "no arguments"
        error.add_note(f"{op}: in {what}, for {listed}")
        raise
    if result is not None:
        into = "out_data" if what == "forward" else "in_grad"
        raise ArgumentError(
            f"{op}: {what} returned {type(result).__name__}; it returns nothing: write the result, "
            f"as with self.assign({into}[0], req[0], value)"
        )


class Undeclared:
    """A stand-in in backward for an array that was not kept."""

    __slots__ = ("_dtype", "_op", "_shape", "_what")

    def __init__(self, op: str, what: str, spec: Spec) -> None:
        self._op, self._what = op, what
        self._shape, self._dtype = spec

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which is known."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, which is known."""
        return self._dtype

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ArgumentError(
            f"{self._op}: backward reads {self._what}, which declare_backward_dependency does not "
            f"name; let it return {self._what}, too"
        )

    __array__ = __getitem__ = __len__ = __iter__ = __bool__ = __float__ = __array_ufunc__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __rtruediv__ = __matmul__ = __rmatmul__ = __pow__ = __neg__ = __abs__ = __gt__ = _refuse
    __lt__ = __ge__ = __le__ = _refuse

    def __getattr__(self, name: str) -> Any:
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._what}, not kept for backward>"
