"""Compare the speed of this checkout with that of another one, and fail where it fell.

    git worktree add ../before <commit>
    python -m benchmarks.revisions ../before [words of a case's name ...]

Each checkout has a process of its own that imports its `src`; both take turns, case by case and
round by round, so that a busy machine meets both. A ratio is time before / time now, of CPU time of
the whole process (engine workers included), as the median over the rounds; below 0.95 is a loss.
Starts (importing, a first result with and without the disk cache) are measured by new processes.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.start import OPERATOR, TAPE

ROUNDS, SLICE, LEAST = 15, 0.02, 0.95  # rounds; seconds a case gets in one; ratio to reach
HERE = Path(__file__).resolve().parent.parent
Case = Callable[[], object]

IMPORT = "import time; t = time.perf_counter(); import nbgraph as ng; ng.NDArray, ng.jit"
FIRST = f"""
import time
t = time.perf_counter()
import numpy as np, nbgraph as ng
x = np.linspace(-2, 2, 16, dtype=np.float32)
{OPERATOR}{TAPE}"""
ENDING = "\nprint(time.perf_counter() - t)"


def cases() -> dict[str, Case]:
    """Return the timed cases of the checkout that this process imports."""
    import nbgraph as ng
    from benchmarks.eager import own_calls

    ng.engine.set("threaded")
    eager = {f"eager {name}": call for name, call in own_calls().items()}
    return eager | _operators(ng) | _graphs(ng)


def _operators(ng) -> dict[str, Case]:
    """NumPy arrays, fused losses, recorded gradients."""
    x = np.linspace(-3, 3, 16, dtype=np.float32)
    wide = np.linspace(-3, 3, 65536, dtype=np.float32)
    a = ng.array(wide)
    a.attach_grad()
    box = ng.jit(lambda p, t: ng.sum(ng.abs(p - t) * p))

    def backward() -> None:
        with ng.autograd.record():
            loss = ng.sum(ng.tanh(a) * a)
        loss.backward()
        ng.waitall()

    def jitted() -> None:
        box(a, a).wait_to_read()

    return {
        "NumPy tanh of 16": lambda: ng.tanh(x),
        "NumPy sum of 16": lambda: ng.sum(x),
        "NumPy softmax of 65536": lambda: ng.softmax(wide),
        "recorded and backward": backward,
        "jit": jitted,
    }


def _graphs(ng) -> dict[str, Case]:
    """A bound loss, binding it, and training steps of a small net."""
    from benchmarks import training

    names = ("data", "label", "w_in", "w_out")

    def bind():
        data, label, w_in, w_out = map(ng.var, names)
        loss = ng.sum(w_out * ng.smooth_l1_loss(w_in * data, label, reduction="none"))
        requests = dict.fromkeys(names, "null") | {"data": "write"}
        return loss.simple_bind(grad_req=requests, **dict.fromkeys(names, (1000,)))

    exe = bind()

    def run() -> None:
        exe.forward(is_train=True)
        exe.backward()
        ng.waitall()

    task = training.Task("mlp", "sgd")
    steps = {"bound": training.bound, "function": training.function, "eager": training.eager}
    return {"bind a loss": bind, "run a bound loss": run} | {
        f"training step, {name}": make(task) for name, make in steps.items()
    }


def serve() -> None:
    """Answer each line `name repeats` with the seconds of CPU that the calls took."""
    table = cases()
    for call in table.values():
        for _ in range(20):
            call()  # compiles, fills caches
    print("\t".join(table), flush=True)
    for line in sys.stdin:
        name, repeats = line.rstrip("\n").split("\t")
        call, turns = table[name], range(int(repeats))
        started = time.process_time()
        for _ in turns:
            call()
        print(time.process_time() - started, flush=True)


class Checkout:
    """A process that times the cases of one checkout."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(root / "src"), str(HERE))),
            "NBGRAPH_CACHE_DIR": str(cache),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from benchmarks.revisions import serve; serve()"],
            env=self.environment, cwd=HERE, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.requests, self.replies = self.process.stdin, self.process.stdout
        self.names = self.replies.readline().rstrip("\n").split("\t")

    def seconds(self, name: str, repeats: int) -> float:
        """Return CPU seconds of one call."""
        self.requests.write(f"{name}\t{repeats}\n")
        self.requests.flush()
        return float(self.replies.readline()) / repeats

    def start(self, code: str, cache: str | None = None) -> float:
        """Return the seconds that a new process reports for `code`."""
        extra = {} if cache is None else {"NBGRAPH_CACHE_DIR": cache}
        printed = subprocess.run(
            [sys.executable, "-c", code + ENDING], env=self.environment | extra, cwd=HERE,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return float(printed.stdout.split()[-1])

    def prepare(self, cache: str) -> None:
        """Build the library's own parts in a cache folder, beside which nothing then is built."""
        subprocess.run(
            [sys.executable, "-m", "nbgraph.warm"],
            env=self.environment | {"NBGRAPH_CACHE_DIR": cache}, cwd=HERE,
            capture_output=True, check=True,
        )  # fmt: skip


def compared(before: Checkout, now: Checkout, name: str) -> tuple[float, float]:
    """Return (seconds now, time before / time now) of a case."""
    repeats = 1
    while (taken := now.seconds(name, repeats) * repeats) < SLICE / 4 and repeats < 1 << 20:
        repeats *= 4
    repeats = max(1, round(repeats * SLICE / max(taken, 1e-9)))
    pairs = [(before.seconds(name, repeats), now.seconds(name, repeats)) for _ in range(ROUNDS)]
    return statistics.median(n for _, n in pairs), statistics.median(b / n for b, n in pairs)


def started(before: Checkout, now: Checkout, code: str, *, cold: bool) -> tuple[float, float]:
    """Return (seconds now, ratio) of a fresh process; where `cold`, with nothing on disk but the
    library's own parts."""
    pairs = []
    for _ in range(3 if cold else 7):
        taken = []
        for checkout in (before, now):
            folder = tempfile.mkdtemp() if cold else None
            if folder is not None:
                checkout.prepare(folder)
            taken.append(checkout.start(code, folder))
            if folder is not None:
                shutil.rmtree(folder)
        pairs.append(taken)
    return statistics.median(n for _, n in pairs), statistics.median(b / n for b, n in pairs)


def table(before: Checkout, now: Checkout, words: list[str]) -> Mapping[str, tuple[float, float]]:
    """Measure and print every chosen case; return them by name."""
    results = {}
    starts = {"import": (IMPORT, False), "first result": (FIRST, False), "cold": (FIRST, True)}
    print(f"load average {os.getloadavg()[0]:.2f}\n{'':34}{'us now':>12}{'before/now':>12}")
    for name in (*starts, *(n for n in now.names if n in before.names)):
        if words and not any(word in name for word in words):
            continue
        if name in starts:
            code, cold = starts[name]
            results[name] = started(before, now, code, cold=cold)
        else:
            results[name] = compared(before, now, name)
            if results[name][1] < LEAST:  # once more, as a neighbour may have disturbed it
                results[name] = max(results[name], compared(before, now, name), key=lambda r: r[1])
        seconds, ratio = results[name]
        verdict = "" if ratio >= LEAST else "  SLOWER"
        print(f"{name:34}{seconds * 1e6:12.2f}{ratio:12.2f}{verdict}", flush=True)
    return results


def main(arguments: list[str]) -> int:
    """Print the table; the exit status says whether a case became slower."""
    root, *words = arguments
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        before, now = Checkout(Path(root).resolve(), Path(one)), Checkout(HERE, Path(other))
        results = table(before, now, words)
        for checkout in (before, now):
            checkout.requests.close()
            checkout.process.wait()
    slower = [name for name, (_, ratio) in results.items() if ratio < LEAST]
    print(f"{len(results) - len(slower)} of {len(results)} cases kept their speed")
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
