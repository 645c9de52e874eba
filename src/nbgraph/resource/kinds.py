"""What an operator asks for besides arrays."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from nbgraph.errors import ArgumentError


class ResourceRequest(StrEnum):
    """The kinds of resources; each also has its plain name.

    | request         | what is granted                                                         |
    |-----------------|-------------------------------------------------------------------------|
    | kRandom         | a generator of random numbers; who uses it take turns in push order     |
    | kParallelRandom | a generator of one's own, fixed at the push: nobody waits for another   |
    | kTempSpace      | memory to work in, which the next user overwrites                       |

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
    """One request or several, checked, in the order given.

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
