"""Grants of resources: one random stream and a few temporary spaces for each device.

>>> import nbgraph as ng
>>> (space,) = request("temp_space")
>>> pushed = ng.engine.push(
...     lambda run_ctx: space.get_space((2, 3)).shape, mutate_vars=[space.variable]
... )
>>> pushed.result(timeout=10)
(2, 3)
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from nbgraph import storage
from nbgraph.device import Context, cpu, require
from nbgraph.engine import Variable, current
from nbgraph.engine.operation import Operation
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, EngineError
from nbgraph.resource.random import Draw, draw_of, stream
from nbgraph.resource.space import Space
from nbgraph.settings import config

_CPU = cpu()
_lock = threading.Lock()


class ResourceRequest(StrEnum):
    """The kinds of resources; each also has its plain name.

    | request         | resource                                                                |
    |-----------------|-------------------------------------------------------------------------|
    | kRandom         | a shared generator of random numbers, whose users run in push order     |
    | kParallelRandom | a private generator, fixed at the push, so that users run in parallel   |
    | kTempSpace      | scratch memory, which the next user overwrites                          |

    >>> ResourceRequest("temp_space") is ResourceRequest.kTempSpace
    True
    >>> ResourceRequest("kRandom").value
    'random'
    """

    kRandom = "random"
    kParallelRandom = "parallel_random"
    kTempSpace = "temp_space"

    @classmethod
    def _missing_(cls, value: object) -> ResourceRequest:
        if isinstance(value, str) and value in cls.__members__:
            return cls.__members__[value]
        known = ", ".join(repr(member.value) for member in cls)
        raise ArgumentError(f"resource request {value!r}; expected one of {known}")


def requests(kinds: Any) -> tuple[ResourceRequest, ...]:
    """Return one request or several as a tuple of ResourceRequest, checked, in their order.

    >>> requests("temp_space"), len(requests(["random", "kTempSpace"]))
    ((<ResourceRequest.kTempSpace: 'temp_space'>,), 2)
    """
    if isinstance(kinds, str):
        return (ResourceRequest(kinds),)
    if not isinstance(kinds, Iterable):
        raise ArgumentError(
            f"resource request {kinds!r}; expected one, such as 'temp_space', or a list of them"
        )
    return tuple(ResourceRequest(one) for one in kinds)


def _check_turn(variable: Variable, asked: str) -> None:
    """Raise EngineError unless the calling thread runs a function that mutates the variable."""
    running = here.running
    if running is None:
        raise EngineError(
            f"{asked}: outside a pushed function anybody may be using it; push the function with "
            "mutate_vars=[resource.variable] and ask for it there, before it returns"
        )
    # a step of a plan is checked when the plan is created
    if type(running) is Operation and variable not in running.writes:
        raise EngineError(
            f"{asked}: {running.name!r} does not declare it, so another function may be using it; "
            "name resource.variable in the mutate_vars of the push"
        )


class Resource:
    """A resource granted to a request; a function that uses it must mutate `variable`."""

    __slots__ = ("device", "variable")

    kind: ResourceRequest

    def __init__(self, device: Context, variable: Variable) -> None:
        self.device = device
        self.variable = variable

    def get_space(
        self, shape: Any, dtype: Any = "float32", stream: Any = None
    ) -> np.ndarray[Any, Any]:
        """Return an uninitialised array in temporary space.

        It is valid until the function returns or calls this again, which returns the same memory.
        """
        raise ArgumentError(
            f"get_space: this resource is {self.kind.value!r}; request 'temp_space'"
        )

    def get_random(self, stream: Any = None) -> np.random.Generator:
        """Return a generator of random numbers, valid until the function returns."""
        raise ArgumentError(
            f"get_random: this resource is {self.kind.value!r}; request 'random' or "
            "'parallel_random'"
        )

    def renewed(self) -> Resource:
        """Return the resource for another push; of a parallel generator a new one for each push."""
        return self

    def again(self) -> Resource:
        """Return the resource for a repetition of the same work, with the same random numbers."""
        return self

    def __repr__(self) -> str:
        return f"<resource {self.kind.value!r} of {self.device!r}>"


class _TempSpace(Resource):
    __slots__ = ("_space",)

    kind = ResourceRequest.kTempSpace

    def __init__(self, space: Space) -> None:
        super().__init__(space.device, space.variable)
        self._space = space

    def get_space(
        self, shape: Any, dtype: Any = "float32", stream: Any = None
    ) -> np.ndarray[Any, Any]:
        _check_turn(self.variable, "get_space")
        return self._space.get(shape, dtype)


class _Random(Resource):
    __slots__ = ()

    kind = ResourceRequest.kRandom

    def get_random(self, stream: Any = None) -> np.random.Generator:
        _check_turn(self.variable, "get_random")
        return _stream_of(self.device).serial()


class _ParallelRandom(Resource):
    __slots__ = ("_draw", "_generator", "_rng")

    kind = ResourceRequest.kParallelRandom

    def __init__(self, device: Context, draw: Draw, rng: Any = None) -> None:
        super().__init__(device, current().new_variable(immune=True))  # private: it never waits
        self._draw, self._rng = draw, rng
        self._generator: np.random.Generator | None = None

    def get_random(self, stream: Any = None) -> np.random.Generator:
        if self._generator is None:
            self._generator = self._draw.generator()
        return self._generator

    def renewed(self) -> Resource:
        return _ParallelRandom(self.device, draw_of(self._rng, self.device), self._rng)

    def again(self) -> Resource:
        return _ParallelRandom(self.device, self._draw, self._rng)


_stream_of = stream


class Manager:
    """The resources of one device."""

    def __init__(self, device: Context) -> None:
        self.device = device
        self.spaces: list[Space] = []
        self._turns = itertools.count()

    def grant(self, kinds: Sequence[ResourceRequest]) -> tuple[Resource, ...]:
        """Return a resource for each request."""
        spaces = iter(self._next_spaces(kinds.count(ResourceRequest.kTempSpace)))
        granted: list[Resource] = []
        for kind in kinds:
            if kind is ResourceRequest.kTempSpace:
                granted.append(_TempSpace(next(spaces)))
            elif kind is ResourceRequest.kParallelRandom:
                granted.append(_ParallelRandom(self.device, stream(self.device).draw()))
            else:
                granted.append(_Random(self.device, self._random_variable()))
        return tuple(granted)

    def _next_spaces(self, count: int) -> list[Space]:
        """Return the next `count` spaces in rotation, all distinct, for use by one function."""
        if not count:
            return []
        copies = max(config.temp_copies, count)
        with _lock:
            for number in range(len(self.spaces), copies):
                self.spaces.append(Space(self.device, f"temp_space {number} of {self.device!r}"))
        first = next(self._turns)
        return [self.spaces[(first + i) % copies] for i in range(count)]

    def _random_variable(self) -> Variable:
        of = stream(self.device)
        if of.variable is None:
            with _lock:
                if of.variable is None:
                    of.variable = current().new_variable(f"random of {self.device!r}", immune=True)
        return of.variable


_managers: dict[Context, Manager] = {}


def manager(device: Context = _CPU) -> Manager:
    """Return the manager of a device."""
    manager_of = _managers.get(device)
    if manager_of is None:
        require(device, "request")
        manager_of = _managers.setdefault(device, Manager(device))
    return manager_of


def managers() -> list[Manager]:
    """Return the managers of all devices used so far."""
    return list(_managers.values())


def request(reqs: Any, device: Context = _CPU) -> tuple[Resource, ...]:
    """Return resources of a device, one for each request, in their order.

    Call it once per push, whose random numbers it fixes. Several requests of temporary space in one
    call get distinct ones; the next call may get the same.

    >>> [str(r.kind) for r in request(["temp_space", "random", "parallel_random"])]
    ['temp_space', 'random', 'parallel_random']
    >>> request("scratch")
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: resource request 'scratch'; expected one of 'random', \
'parallel_random', 'temp_space'
    """
    return manager(device).grant(requests(reqs))


def parallel_random(rng: Any = None, device: Context = _CPU) -> Resource:
    """Return a resource like that of a request of 'parallel_random', with a choice of the source:
    `rng` is None (the device's stream), a seed, a numpy.random.Generator or SeedSequence.

    >>> import numpy as np
    >>> a, b = parallel_random(rng=3), parallel_random(rng=np.random.default_rng(3))
    >>> a.get_random().random() == b.get_random().random()
    True
    """
    return _ParallelRandom(device, draw_of(rng, device), rng)


def empty_space(device: Context | None = None) -> None:
    """Release the temporary space of a device, or of all, once its users have ended.

    >>> empty_space()
    """
    for one in managers() if device is None else [manager(device)]:
        for space in tuple(one.spaces):
            space.drop()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for one in managers():
        for space in one.spaces:
            space.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

storage.on_shortage(empty_space)
