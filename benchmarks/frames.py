"""How many Python frames of the library a step takes: a bind, its first run, and everyday calls.

    python -m benchmarks.frames [WORD ...]

Frames are counted by `sys.setprofile` on the calling thread: each call of a function whose file
lies in the library; comprehensions and generators that have frames of their own count, too. So the
figures are the same on every machine and under any load. The program runs once to compile its
kernels, and is counted in a second process. With words, the functions of the steps whose names
hold them are listed by how often they are called.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBRARY = str(Path(__file__).resolve().parents[1] / "src" / "nbgraph") + os.sep
FIRST = ("bind of the box loss", "first run of the box loss")


def counted(call: Callable[[], object]) -> Counter[str]:
    """Return how often each function of the library is called by `call`, by file and name."""
    calls: Counter[str] = Counter()

    def note(frame: Any, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(LIBRARY):
            calls[f"{code.co_filename.removeprefix(LIBRARY)}:{code.co_qualname}"] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


def _settled() -> bool:
    """Return whether the engine runs by its compiled core, which a process finds on disk."""
    from nbgraph.engine import current
    from nbgraph.engine.threaded import ThreadedEngine

    engine = current()
    return isinstance(engine, ThreadedEngine) and engine._live is not None


def steps() -> dict[str, Counter[str]]:
    """Return the calls of every step, in their order; a step after the first of its kind is that
    of the third call."""
    import numpy as np

    import nbgraph as ng

    @ng.op
    def smooth_l1(x: Any, *, sigma: float = 1.0) -> Any:
        s2 = sigma * sigma
        if x > 1 / s2:
            return x - 0.5 / s2
        if x < -1 / s2:
            return -x - 0.5 / s2
        return 0.5 * s2 * x * x

    array, plain = ng.ones((1000,)), np.ones(1000, np.float32)
    while smooth_l1(array).asnumpy().size and not _settled():
        time.sleep(0.01)
    other = ng.sum(ng.sqrt(ng.var("other"))).simple_bind(other=(2,))  # imports what all need
    other.forward_backward()
    names = ("data", "label", "w_in", "w_out")
    data, label, w_in, w_out = map(ng.var, names)
    loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
    requests = dict.fromkeys(names, "null") | {"data": "write"}
    shapes: dict[str, Any] = dict.fromkeys(names, (1000,))
    bound: list[Any] = []

    def bind() -> None:
        bound.append(loss.simple_bind(grad_req=requests, **shapes))

    def run() -> None:
        bound[0].forward_backward()

    found = {FIRST[0]: counted(bind), FIRST[1]: counted(run)}
    compiled = ng.jit(lambda x: ng.sum(smooth_l1(x) * 2.0))

    def recorded() -> None:
        array.attach_grad()
        with ng.autograd.record():
            value = ng.sum(smooth_l1(array))
        value.backward()

    everyday: dict[str, Callable[[], object]] = {
        "a run of the bound box loss": run,
        "an operator on an array": lambda: smooth_l1(array),
        "an operator on an array, with a parameter": lambda: smooth_l1(array, sigma=2.0),
        "a sum of two arrays": lambda: array + array,
        "a reduction of an array": lambda: ng.sum(array),
        "a softmax of an array": lambda: ng.softmax(array),
        "a product of arrays": lambda: ng.dot(array, array),
        "a draw": lambda: ng.random.uniform(size=(1000,)),
        "an operator on a NumPy array": lambda: smooth_l1(plain),
        "a reduction of a NumPy array": lambda: ng.sum(plain),
        "a softmax of a NumPy array": lambda: ng.softmax(plain),
        "a call of a compiled function": lambda: compiled(array),
        "an operator, recorded, and its gradient": recorded,
        "an array added to": lambda: array.__iadd__(array),
        "a write of a part": lambda: array.__setitem__(slice(2, 7), 1.0),
    }
    for name, call in everyday.items():
        for _ in range(4):
            call()
        ng.waitall()
        found[name] = counted(call)
    ng.waitall()
    return found


def fresh() -> dict[str, Counter[str]]:
    """Return the calls of every step in a process of its own, whose kernels are on disk."""
    code = "import json; from benchmarks.frames import steps; print(json.dumps(steps()))"
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NBGRAPH_CACHE_DIR": cache}
        command = [sys.executable, "-c", code]
        for _ in range(2):
            made = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            )
    return {name: Counter(calls) for name, calls in json.loads(made.stdout).items()}


def main(words: list[str]) -> None:
    """Print the table, or with words the functions of some steps."""
    for name, calls in fresh().items():
        files = {call.partition(":")[0] for call in calls}
        print(f"{calls.total():6} frames of {len(files):3} files: {name}")
        if any(word in name for word in words):
            for call, count in calls.most_common():
                print(f"{count:12}  {call}")


if __name__ == "__main__":
    main(sys.argv[1:])
