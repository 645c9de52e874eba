"""What an operator's functions are told besides arrays: parameters, resources, mode, device.

The caller that carries an operator out grants its resources and reads the mode when the work is
pushed;
the device's stream is known when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.device import Context, RunContext
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError

SERIAL = "random"  # the one kind whose users take turns even where each has its own memory
RANDOM, SPACE = (SERIAL, "parallel_random"), ("temp_space",)
_NO_KEYWORDS: Mapping[str, Any] = {}
IS_TRAIN = "is_train"  # a compiled function of a user may name it among its parameters


class OpContext(NamedTuple):
    """How an operator is run: training or not, where, and with which resources.

    >>> from nbgraph.device import cpu, run_context
    >>> ctx = OpContext(True, run_context(cpu()))
    >>> ctx.is_train, ctx.device, ctx.stream is None
    (True, cpu(0), True)
    """

    is_train: bool
    run_ctx: RunContext
    requested: Sequence[Any] = ()  # resources, one for each request, in request order

    @property
    def device(self) -> Context:
        """Where it runs."""
        return self.run_ctx.device

    @property
    def stream(self) -> Any:
        """The device's stream, None on the host."""
        return self.run_ctx.stream

    def get_stream(self, kind: str | Context) -> Any:
        """Return the stream, for code written for one device type; another type is refused."""
        return self.run_ctx.get_stream(kind)


class EnvArguments:
    """The `env` of an operator's functions.

    Attributes
    ----------
    scalar : float
        The call's `scalar=`, where the operator takes one.
    kwargs : Param or mapping
        The call's keyword parameters, where the operator takes them.
    resource : sequence
        What was granted, in the order of the requests; in a shape function the requests.

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
        """The scalar of the call; ArgumentError where the operator takes none."""
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
        """Scratch memory of the first such resource, its contents undefined. One call at a time:
        a second one gives the same memory."""
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
    """What orders calls that have an effect; granted beside what was requested."""

    __slots__ = ("kind", "variable")

    def __init__(self, variable: Any) -> None:
        self.kind, self.variable = "turn", variable

    def renewed(self) -> Turn:
        """Return the same for another run, or for work that is done a second time."""
        return self

    again = renewed


class OwnSpace:
    """Temporary space of one call at once: memory that nobody else has, so nobody waits."""

    __slots__ = ()
    kind = SPACE[0]

    def get_space(self, shape: Any, dtype: Any = "float32", stream: Any = None) -> Any:
        """Return an array, its contents undefined."""
        return np.empty(shape, as_dtype(dtype))

    def get_random(self, stream: Any = None) -> Any:
        """ArgumentError: space gives no numbers."""
        raise ArgumentError(
            "get_random: this resource is 'temp_space'; request 'random' or 'parallel_random'"
        )


def own_resources(resources: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the resources for work that is done at once, with memory of its own instead of the
    device's temporary space; and the variables of those for which others take turns even so."""
    own: list[Any] = [OwnSpace() if str(r.kind) in SPACE else r for r in resources]
    return own, [r.variable for r in own if str(r.kind) == SERIAL]
