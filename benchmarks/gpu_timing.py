"""How the figures of GPUs are taken and printed; see `benchmarks.gpu`."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping
from typing import Any

ROUNDS, CALLS = 5, 20
LONGEST = 0.5  # seconds of a round, where a call takes less


def peer(name: str) -> Any:
    """A library, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """Of one call."""
    for _ in range(3):
        call()
    wait()
    calls = max(1, min(CALLS, int(LONGEST / timed(call, wait, 1))))
    return min(timed(call, wait, calls) for _ in range(ROUNDS))


def timed(call: Callable[[], object], wait: Callable[[], object], calls: int) -> float:
    """Of one of so many calls, from an idle device to an idle one."""
    started = time.perf_counter()
    for _ in range(calls):
        call()
    wait()
    return (time.perf_counter() - started) / calls


def of_peer(
    name: str, library: Any, measure: Callable[[Any], float], into: dict[str, float]
) -> None:
    """Enter what `measure(library)` gives; a peer that is missing, or cannot do it, is left out."""
    if library is None:
        return
    try:
        into[name] = measure(library)
    except Exception as problem:  # such as of a compiler that it does not find
        text = str(problem).strip().partition("\n")[0][:200]
        print(f"{name} left out: {type(problem).__name__}: {text}", flush=True)


def told(name: str, ours: float, nbytes: int, copy: float, others: Mapping[str, float]) -> None:
    """A line of the table."""
    rate = nbytes / ours
    line(name, ours, f"{rate / 1e12:7.3f} TB/s  copy x{rate / copy:.2f}", others)


def line(name: str, ours: float, rate: str, others: Mapping[str, float]) -> None:
    """A name, a time, what that is a second, and how much longer others take."""
    text = f"{name:<28} {ours * 1e6:9.1f} us {rate}"
    for peer_name, taken in others.items():
        text += f"  {peer_name} x{taken / ours:.2f}"
    print(text, flush=True)
