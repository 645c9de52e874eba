"""The arrays that operators are given, of whatever arrays a carrier has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.array_op import Spec
from nbgraph.operator.request import OpReqType, kNullOp, kWriteInplace, kWriteTo

Array = np.ndarray[Any, Any]


class Results:
    """Arrays to write, in C order, with requests; `deliver` copies back what lies elsewhere.

    `targets`: an array for each result, None where nobody wants it. A result requested in place
    that lies with gaps gets an array of its own.
    """

    def __init__(
        self,
        targets: Sequence[Array | None],
        specs: Sequence[Spec],
        requests: Sequence[OpReqType],
    ) -> None:
        self.targets = targets
        made = [_target(*row) for row in zip(targets, specs, requests, strict=True)]
        self.arrays = [array for array, _ in made]
        self._given = tuple(self.arrays)
        self.requests = tuple(request for _, request in made)

    def deliver(self, op: str, what: str) -> None:
        """Write what is not there yet to where it belongs."""
        _require_same(op, what, self._given, self.arrays)
        for target, array, request in zip(self.targets, self._given, self.requests, strict=True):
            if request is not kNullOp and target is not None and target is not array:
                np.copyto(target, array)


def _target(out: Array | None, spec: Spec, request: OpReqType) -> tuple[Array, OpReqType]:
    if out is None or request is kNullOp:
        nothing = np.broadcast_to(
            np.zeros((), spec.dtype), spec.shape
        )  # read-only, takes no memory
        return nothing, kNullOp
    if out.flags.c_contiguous:
        return out, request
    if request is kWriteInplace:
        return np.empty(out.shape, out.dtype), kWriteTo
    return out.copy("C"), request  # an addition needs what is there


def given(array: Array) -> Array:
    """An array that is read: in C order, read-only."""
    held = np.ascontiguousarray(array).reshape(array.shape)
    if held.flags.writeable:
        held = held.view()
        held.flags.writeable = False
    return held


class States:
    """Auxiliary states, which can be written where the operator trains."""

    def __init__(self, targets: Sequence[Array], *, writable: bool) -> None:
        self.writable, self._targets = writable, targets
        self.arrays = [_state(a) if writable else given(a) for a in targets]
        self._given = tuple(self.arrays)

    def deliver(self, op: str) -> None:
        """Write them to where they belong."""
        _require_same(op, "aux_states", self._given, self.arrays)
        if self.writable:
            for target, array in zip(self._targets, self._given, strict=True):
                if target is not array:
                    np.copyto(target, array)


def _state(array: Array) -> Array:
    return array if array.flags.c_contiguous else array.copy("C")


def _require_same(op: str, what: str, given: Sequence[Array], found: Sequence[Array]) -> None:
    """ArgumentError where an array of a list was replaced, rather than written."""
    for k, (one, other) in enumerate(zip(given, found, strict=True)):
        if one is not other:
            raise ArgumentError(
                f"{op}: {what}[{k}] was replaced by another array, which nobody sees; write into "
                f"it, as {what}[{k}][:] = value or self.assign({what}[{k}], req[{k}], value)"
            )


def run(op: str, what: str, function: Callable[[], Any], specs: Sequence[Spec]) -> None:
    """Call a user's `forward` or `backward`; its errors say which and for what."""
    try:
        told = function()
    except Exception as error:
        listed = ", ".join(map(str, specs)) or "no arguments"
        error.add_note(f"{op}: in {what}, for {listed}")
        raise
    if told is not None:
        into = "out_data" if what == "forward" else "in_grad"
        raise ArgumentError(
            f"{op}: {what} returned {type(told).__name__}; it returns nothing: write the result, "
            f"as with self.assign({into}[0], req[0], value)"
        )


class Undeclared:
    """Stands in backward for an array that was not kept for it."""

    __slots__ = ("_dtype", "_op", "_shape", "_what")

    def __init__(self, op: str, what: str, spec: Spec) -> None:
        self._op, self._what = op, what
        self._shape, self._dtype = spec

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape is known."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """So is its dtype."""
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
