"""Requests: a result is dropped, written, written over an operand, or added to the output.

The four requests of the operator model (OPR-07..10). Kernels know only "write" and "add": kNullOp
computes nothing, kWriteInplace is a write whose output shares an operand's memory.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError


class OpReqType(enum.IntEnum):
    """How an operator delivers one output.

    >>> OpReqType.of("add") is OpReqType.kAddTo
    True
    """

    kNullOp = 0
    kWriteTo = 1
    kWriteInplace = 2
    kAddTo = 3

    @classmethod
    def of(cls, value: OpReqType | str) -> OpReqType:
        """Return the request for a request or a word: "null", "write", "inplace", "add"."""
        if isinstance(value, cls):
            return value
        request = _WORDS.get(value) if isinstance(value, str) else None
        if request is None:
            raise ArgumentError(
                f"request {value!r} is not known; expected one of {', '.join(map(repr, _WORDS))}, "
                "or an OpReqType"
            )
        return request


kNullOp, kWriteTo, kWriteInplace, kAddTo = OpReqType
Requests = Sequence[OpReqType]
_WORDS = {"null": kNullOp, "write": kWriteTo, "inplace": kWriteInplace, "add": kAddTo}
# as in loops
WORDS = {kNullOp: "null", kWriteTo: "write", kWriteInplace: "write", kAddTo: "add"}
INPLACE_WORDS = {**WORDS, kWriteInplace: "inplace"}


def assign(out: np.ndarray[Any, Any], req: OpReqType | str, value: Any) -> None:
    """Write `value` to `out` as the request says; `value` broadcasts to the shape of `out`.

    >>> out = np.array([1.0, 2.0])
    >>> assign(out, kAddTo, 10.0)
    >>> out
    array([11., 12.])
    """
    req = OpReqType.of(req)
    if req is kAddTo:
        np.add(out, value, out=out, casting="same_kind")
    elif req is not kNullOp:
        np.copyto(out, value, casting="same_kind")
