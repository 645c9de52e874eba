"""Running a simple operator's function on whatever arrays a carrier has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.operator.environment import EnvArguments, OpContext
from nbgraph.operator.request import OpReqType, kNullOp, kWriteInplace, kWriteTo
from nbgraph.operator.simple.function import DeviceFunction

Array = np.ndarray[Any, Any]
Target = Array | tuple[tuple[int, ...], np.dtype[Any]]


def execute(
    function: DeviceFunction,
    inputs: Sequence[Array],
    outputs: Sequence[Target],
    requests: Sequence[OpReqType],
    env: EnvArguments,
    attributes: Mapping[str, Any],
    ctx: OpContext,
) -> None:
    """Call the function with C-contiguous arrays; what it wrote elsewhere is copied back.

    An output requested in place of an operand that the function's option does not name gets an
    array of its own: a right is used only where it was given.
    """
    held = [np.ascontiguousarray(a) if a.ndim else np.asarray(a) for a in inputs]
    targets: list[Target] = []
    asked: list[OpReqType] = []
    for index, (out, req) in enumerate(zip(outputs, requests, strict=True)):
        target, request = _target(out, req, allowed=bool(function.option) and index == 0)
        targets.append(target)
        asked.append(request)
    function.call(held, targets, asked, env, attributes, ctx)
    for out, target, req in zip(outputs, targets, requests, strict=True):
        if target is not out and req is not kNullOp:
            np.copyto(out, target)  # type: ignore[arg-type]


def _target(out: Target, req: OpReqType, *, allowed: bool) -> tuple[Target, OpReqType]:
    """The array to write, and the request for it."""
    if not isinstance(out, np.ndarray):
        return out, kNullOp
    if req is kNullOp:
        return (out.shape, out.dtype), kNullOp
    if req is kWriteInplace and not (allowed and out.flags.c_contiguous):
        return np.empty(out.shape, out.dtype), kWriteTo
    if out.flags.c_contiguous:
        return out, req
    return out.copy("C"), req  # an addition needs what is there
