"""Arguments of an operator's functions besides arrays: parameters, resources, mode, device.

The carrier grants resources and reads the mode when the work is pushed; the device's stream is
known when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.device import Context, RunContext
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError

SERIAL = "random"  # the kind whose users take turns even if each has memory of its own
RANDOM, SPACE = (SERIAL, "parallel_random"), ("temp_space",)
_NO_KEYWORDS: Mapping[str, Any] = {}
IS_TRAIN = "is_train"  # functions compiled by users may have it as a parameter


class OpContext(NamedTuple):
    """The context of a run: training or not, device, and resources.

    >>> from nbgraph.device import cpu, run_context
    >>> ctx = OpContext(True, run_context(cpu()))
    >>> ctx.is_train, ctx.device, ctx.stream is None
    (True, cpu(0), True)
    """

    is_train: bool
    run_ctx: RunContext
    requested: Sequence[Any] = ()  # granted resources, in the order of the requests

    @property
    def device(self) -> Context:
        """The device of the run."""
        return self.run_ctx.device

    @property
    def stream(self) -> Any:
        """The device's stream; None on the host."""
        return self.run_ctx.stream

    def get_stream(self, kind: str | Context) -> Any:
        """Return the stream, for code of one device type; raise for another type."""
        return self.run_ctx.get_stream(kind)


class EnvArguments:
    """The `env` argument of an operator's functions.

    Attributes
    ----------
    scalar : float
        The call's `scalar=`, if the operator takes one.
    kwargs : Param or mapping
        The call's keyword parameters, if the operator takes them.
    resource : sequence
        Granted resources in the order of the requests; in a shape function, the requests.

    >>> EnvArguments(scalar=2.0).scalar
    2.0
    >>> EnvArguments().scalar
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: env.scalar: this operator takes no scalar; call \
set_enable_scalar(True) when it is registered
    """

    __slots__ = ("_scalar", "kwargs", "resource")

    def __init__(
        self, scalar: float | None = None, kwargs: Any = _NO_KEYWORDS, resource: Sequence[Any] = ()
    ) -> None:
        self._scalar, self.kwargs, self.resource = scalar, kwargs, resource

    @property
    def scalar(self) -> float:
        """The scalar of the call; raises ArgumentError if the operator takes none."""
        if self._scalar is None:
            raise ArgumentError(
                "env.scalar: this operator takes no scalar; call set_enable_scalar(True) when it "
                "is registered"
            )
        return self._scalar

    def random(self) -> Any:
        """Return the generator of the first random resource: a numpy.random.Generator on the
        host."""
        return self._first(RANDOM, "random()", "random").get_random()

    def temp_space(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        """Return scratch memory of the first such resource, with undefined contents. A second call
        returns the same memory."""
        return self._first(SPACE, "temp_space()", "temp_space").get_space(tuple(shape), dtype)

    def _first(self, kinds: Sequence[str], asked: str, request: str) -> Any:
        for resource in self.resource:
            kind = getattr(resource, "kind", None)
            if kind is None:
                raise ArgumentError(
                    f"env.{asked}: resources are granted to functions and gradients; a shape "
                    "function sees the requests alone"
                )
            if str(kind) in kinds:
                return resource
        raise ArgumentError(
            f"env.{asked}: this operator requested no such resource; add "
            f"set_resource_request({request!r}) when it is registered"
        )

    def __repr__(self) -> str:
        return (
            f"EnvArguments(scalar={self._scalar!r}, kwargs={self.kwargs!r}, "
            f"resource={list(self.resource)!r})"
        )


class Turn:
    """The order of calls with effects; granted in addition to requested resources."""

    __slots__ = ("kind", "variable")

    def __init__(self, variable: Any) -> None:
        self.kind, self.variable = "turn", variable

    def renewed(self) -> Turn:
        """Return an equal object for another run, or for work that is repeated."""
        return self

    again = renewed


class OwnSpace:
    """Temporary space of one immediate call: private memory, so no caller waits."""

    __slots__ = ()
    kind = SPACE[0]

    def get_space(self, shape: Any, dtype: Any = "float32", stream: Any = None) -> Any:
        """Return an array with undefined contents."""
        return np.empty(shape, as_dtype(dtype))

    def get_random(self, stream: Any = None) -> Any:
        """Raise ArgumentError: temporary space has no random numbers."""
        raise ArgumentError(
            "get_random: this resource is 'temp_space'; request 'random' or 'parallel_random'"
        )


def own_resources(resources: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the resources of work that is done immediately, with private memory instead of the
    device's temporary space, and the variables of those that are still used in turn."""
    own: list[Any] = [OwnSpace() if str(r.kind) in SPACE else r for r in resources]
    return own, [r.variable for r in own if str(r.kind) == SERIAL]
