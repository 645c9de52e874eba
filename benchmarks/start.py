"""The figures of the start: importing, a brand-new operator, a bound graph, in new processes.

    python -m benchmarks.start

Every figure is the median of several processes, each with its own figure from after the import of
the library to the last value; the import ratio is of whole processes, in alternation. "Cold" means
that the library's own parts (the engine's core) are in the cache folder and nothing else; "warm",
that the same program has run before. Numba's pair is what one writes without this library: the
function, and its derivative by hand, as `vectorize` functions.

Run it with byte code on disk: PYTHONDONTWRITEBYTECODE may not be set.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.harness import Factor, Limit, cold, report

PROCESSES = 7
HEAD = """
import numpy as np, nbgraph as ng, time
x = np.linspace(-2, 2, 16, dtype=np.float32)
started = time.perf_counter()
"""
OPERATOR = """
@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x
"""
DERIVATIVE = """
smooth_l1(x), smooth_l1.derivative("x")(x)
"""
TAPE = """
smooth_l1(x)
value, slope = ng.value_and_grad(lambda x: ng.sum(smooth_l1(x)))(x)
float(value), np.asarray(slope)
"""
BOX = """
names = ("data", "label", "w_in", "w_out")
data, label, w_in, w_out = map(ng.var, names)
loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
requests = dict.fromkeys(names, "null") | {"data": "write"}
exe = loss.simple_bind(grad_req=requests, **dict.fromkeys(names, (1000,)))
"""
NUMBA = """
import numpy as np, time
x = np.linspace(-2, 2, 16, dtype=np.float32)
started = time.perf_counter()
import numba

@numba.vectorize{options}
def smooth_l1(x, sigma):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x

@numba.vectorize{options}
def slope(x, sigma):
    s2 = sigma * sigma
    if x > 1 / s2:
        return 1.0
    if x < -1 / s2:
        return -1.0
    return s2 * x

smooth_l1(x, np.float32(1.0)), slope(x, np.float32(1.0))
"""
SHOW = "\nprint(time.perf_counter() - started)\n"
# what is measured -> program, bounds of a cold and of a warm process in seconds
OURS = {
    "new operator, value and derivative": (HEAD + OPERATOR + DERIVATIVE, 0.12, 0.03),
    "new operator, value and gradient by tape": (HEAD + OPERATOR + TAPE, 0.12, 0.03),
    "bind of the box loss": (HEAD + OPERATOR + BOX, 0.0, 0.04),
}


class Place:
    """A folder for programs and caches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.prepared = root / "prepared"
        self._run("-m", "nbgraph.warm", cache=self.prepared)

    def _run(self, *arguments: str, cache: Path) -> None:
        env = {**os.environ, "NBGRAPH_CACHE_DIR": str(cache)}
        subprocess.run([sys.executable, *arguments], env=env, check=True, capture_output=True)

    def measure(self, program: str, *, warm: bool) -> float:
        """Seconds that a program prints; it is a file, as Numba and capture want to read it."""
        path = self.root / "program.py"
        path.write_text(program, encoding="utf-8")
        times = []
        for turn in range(PROCESSES + warm):
            if turn == 0 or not warm:
                self._fresh()
            environment = {
                "NBGRAPH_CACHE_DIR": str(self.root / "cache"),
                "NUMBA_CACHE_DIR": str(self.root / "numba"),
            }
            times.append(_seconds(path, environment))
        return statistics.median(times[warm:])

    def _fresh(self) -> None:
        """The library's own parts, and nothing else."""
        for name in ("cache", "numba"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        shutil.copytree(self.prepared, self.root / "cache")


def _seconds(path: Path, environment: Mapping[str, str]) -> float:
    return cold(f"import runpy; runpy.run_path({str(path)!r})", environment)


def import_ratio() -> float:
    """How many times as long `import nbgraph` takes as `import numpy`: whole processes."""
    ratios = []
    for turn in range(2 * PROCESSES):
        seconds = {}
        for name in ("numpy", "nbgraph") if turn % 2 else ("nbgraph", "numpy"):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            seconds[name] = time.perf_counter() - started
        ratios.append(seconds["nbgraph"] / seconds["numpy"])
    return statistics.median(ratios[2:])


def rows() -> Iterator[Limit | Factor]:
    """All figures."""
    ratio = import_ratio()
    yield Factor(f"import numpy / import nbgraph ({ratio:.2f}x)", 1 / ratio, 1 / 1.25)
    with tempfile.TemporaryDirectory() as root:
        place = Place(Path(root))
        ours: dict[tuple[str, bool], float] = {}
        for name, (program, cold_bound, warm_bound) in OURS.items():
            for warm, bound in ((False, cold_bound), (True, warm_bound)):
                if bound:
                    seconds = ours[name, warm] = place.measure(program + SHOW, warm=warm)
                    yield Limit(f"{name}, {'warm' if warm else 'cold'}", seconds, bound)
        for warm, options in ((False, ""), (True, "(cache=True)")):
            theirs = place.measure(NUMBA.format(options=options) + SHOW, warm=warm)
            own = ours["new operator, value and derivative", warm]
            state = "warm" if warm else "cold"
            yield Factor(f"Numba's pair {state} ({theirs:.2f} s)", theirs / own, 5.0)


if __name__ == "__main__":
    raise SystemExit(report(rows()))
