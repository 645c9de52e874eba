"""The figures of scalar operators: kernels, reductions, calls, first results, import.

    python -m benchmarks.scalar_ops

float32, arrays of 32,768 elements that stay in the L2 cache, one thread, unless a row says
otherwise. NumPy has kernels of its own for AVX-512 (Intel's vector mathematics), so the targets
against it hold for AVX2; on a machine with AVX-512 compare at AVX2 by `bash benchmarks/avx2`.
Cold starts are wall time after `import nbgraph`, in new processes with an empty or a filled cache.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.special
from numba import njit

import nbgraph as ng
from benchmarks.harness import Limit, Row, cold, peer, report
from nbgraph.operator.backward import forward_backward
from nbgraph.operator.layout import layout_of
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.shape import address

SIZE = 1 << 15
HUGE = 10**7  # 80 MB with its result, beyond the last-level cache: the result goes past it
LARGE = 1 << 18  # 2 MiB with its result, in the last-level cache: here a call's overhead is small
random = np.random.default_rng(0)
X = random.normal(0, 2, SIZE).astype(np.float32)
G = random.normal(0, 1, SIZE).astype(np.float32)
OUT = np.empty_like(X)
OUT2 = np.empty_like(X)


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


HALF, ONE, MINUS = np.float32(0.5), np.float32(1), np.float32(-1)


@njit(error_model="numpy")
def by_hand(x, out):
    for i in range(x.size):
        v = x[i]
        if v > ONE:
            out[i] = v - HALF
        elif v < MINUS:
            out[i] = -v - HALF
        else:
            out[i] = HALF * v * v


@njit(error_model="numpy")
def both_by_hand(x, g, out, grad):
    for i in range(x.size):
        v = x[i]
        if v > ONE:
            out[i] = v - HALF
            grad[i] = g[i]
        elif v < MINUS:
            out[i] = -v - HALF
            grad[i] = -g[i]
        else:
            out[i] = HALF * v * v
            grad[i] = g[i] * v


def by_numpy(x=X):
    return np.where(x > 1, x - HALF, np.where(x < -1, -x - HALF, HALF * x * x))


def both_by_numpy():
    value = by_numpy()
    return value, G * np.where(X > 1, ONE, np.where(X < -1, MINUS, X))


def torch_smooth_l1() -> dict[str, object]:
    """torch's own forward and backward, where it is installed."""
    torch = peer("torch")
    if torch is None:
        return {}
    torch.set_num_threads(1)
    x, g = torch.tensor(X, requires_grad=True), torch.tensor(G)
    zero = torch.zeros(SIZE)

    def run():
        x.grad = None
        torch.nn.functional.smooth_l1_loss(x, zero, reduction="none").backward(g)

    return {"torch eager": run}


def smooth_l1_rows() -> Iterator[Row]:
    """Forward, and forward with backward in one pass."""
    huge = random.normal(0, 2, HUGE).astype(np.float32)
    huge_out = np.empty_like(huge)
    yield Row(
        f"smooth_l1 forward, {HUGE} elements",
        lambda: smooth_l1(huge, out=huge_out),
        against={"njit by hand": lambda: by_hand(huge, huge_out)},
        targets={"njit by hand": 1.25},
        elements=HUGE,
    )
    large = random.normal(0, 2, LARGE).astype(np.float32)
    out = np.empty_like(large)
    yield Row(
        f"smooth_l1 forward, {LARGE} elements",
        lambda: smooth_l1(large, out=out),
        against={"njit by hand": lambda: by_hand(large, out)},
        targets={"njit by hand": 0.95},
        elements=LARGE,
    )
    yield Row(
        "smooth_l1 forward",
        lambda: smooth_l1(X, out=OUT),
        against={"njit by hand": lambda: by_hand(X, OUT), "NumPy where": by_numpy},
        targets={"NumPy where": 5.0},
        elements=SIZE,
    )
    both = forward_backward(smooth_l1)
    torch = torch_smooth_l1()
    yield Row(
        "smooth_l1 forward + backward",
        lambda: both(G, X, out=(OUT, OUT2)),
        against={
            "njit by hand": lambda: both_by_hand(X, G, OUT, OUT2),
            "NumPy where": both_by_numpy,
            **torch,
        },
        targets={"njit by hand": 0.95, "NumPy where": 20.0, **dict.fromkeys(torch, 3.0)},
        elements=SIZE,
    )


FUNCTIONS = {  # NumPy's function, the C library's
    "exp": (np.exp, math.exp),
    "log": (np.log, math.log),
    "tanh": (np.tanh, math.tanh),
    "sin": (np.sin, math.sin),
    "erf": (scipy.special.erf, math.erf),
    "log1p": (np.log1p, math.log1p),
    "expm1": (np.expm1, math.expm1),
}


def function_rows() -> Iterator[Row]:
    """Vector math as operators."""
    for name, (by_peer, libm) in FUNCTIONS.items():
        mine = ng.op(_mapper(libm), name=name)
        x = np.abs(X) + np.float32(1e-3) if name.startswith("log") else X

        compiled = _libm_loop(libm)
        yield Row(
            name,
            lambda mine=mine, x=x: mine(x, out=OUT),
            against={
                "NumPy": lambda by_peer=by_peer, x=x: by_peer(x, out=OUT),
                "numba libm": lambda compiled=compiled, x=x: compiled(x, OUT),
            },
            targets={"NumPy": 2.0, "numba libm": 3.0},
            elements=SIZE,
        )


def _mapper(function):
    def mapper(x):
        return function(x)

    return mapper


def _libm_loop(libm):
    @njit(error_model="numpy")
    def loop(x, out):
        for i in range(x.size):
            out[i] = libm(x[i])

    return loop


def prepared(op: Any, operands: Sequence[np.ndarray], out: np.ndarray) -> Callable[[], None]:
    """Return a call with everything resolved: kernel and argument block alone, as an engine runs
    it. Operands and out have one shape and do not overlap; the call keeps them alive."""
    arrays, plan = op.invoker.prepare(operands, op.parameters_of({}))
    layouts = [layout_of(a) for a in arrays]
    call = map_call(plan, out.shape, layouts, [layout_of(out)], ["write"])
    block = np.array(call.block([address(a) for a in (*arrays, out)]), np.int64)

    def run(_keep: tuple[Any, ...] = (arrays, out)) -> None:
        call.code.run(block, 0, call.size)

    return run


def broadcast_rows() -> Iterator[Row]:
    """A row or a column broadcast against the same operator on two whole arrays."""
    mix = ng.op(lambda x, b: x * b + x * x - b)
    x = random.normal(size=(64, 256)).astype(np.float32)
    row, column = x[0].copy(), x[:, :1].copy()
    whole = np.ascontiguousarray(np.broadcast_to(row, x.shape))
    out = np.empty_like(x)
    for name, other in (("row", row), ("column", column)):
        view = np.broadcast_to(other, x.shape)
        yield Row(
            f"{name} broadcast, kernel alone",
            prepared(mix, (x, view), out),
            against={"contiguous": prepared(mix, (x, whole), out)},
            targets={"contiguous": 0.8},
            elements=x.size,
        )


def reduction_rows() -> Iterator[Row]:
    """A sum of a mapper, compiled, its call and wait included, against the mapper."""
    mapper = ng.op(lambda x: math.tanh(x) * x)
    total, array = ng.jit(lambda x: ng.sum(mapper(x))), ng.array(X)
    yield Row(
        "sum of a mapper",
        lambda: total(array).wait_to_read(),
        against={"the mapper alone": prepared(mapper, (X,), OUT)},
        targets={"the mapper alone": 0.9},
        elements=SIZE,
    )


def small_rows() -> Iterator[Row]:
    """Overhead of a call, and 16-bit floats."""
    x, y, out = X[:16].copy(), G[:16].copy(), np.empty(16, np.float32)
    mine = ng.op(lambda a, b: a + b)
    yield Row(
        "call on 16 elements with out=",
        lambda: mine(x, y, out=out),
        against={"np.add": lambda: np.add(x, y, out=out)},
        targets={"np.add": 1 / 3},
    )
    yield Row(
        "smooth_l1 call on 16 elements with out=",
        lambda: smooth_l1(x, out=out),
        against={"np.negative": lambda: np.negative(x, out=out)},
        targets={"np.negative": 1 / 3},
    )
    half, half_out = X.astype(np.float16), np.empty(SIZE, np.float16)
    yield Row(
        "float16 smooth_l1",
        lambda: smooth_l1(half, out=half_out),
        against={"NumPy where": lambda: by_numpy(half)},
        targets={"NumPy where": 3.0},
        elements=SIZE,
    )


COLD = """
import time
import numpy as np
import numba
import nbgraph as ng
import math
started = time.perf_counter()
{code}
print(time.perf_counter() - started)
"""
# written to files, as notebook cells are: functions from -c have no source text
OPS = """
import math
import numpy as np
import nbgraph as ng
from nbgraph.operator.backward import forward_backward
x = np.ones(16, np.float32)
@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x
@ng.op
def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))
def first():
    smooth_l1(x)
def both():
    forward_backward(gelu)(x, x)
"""
IMPORT = """
import time, numpy, numba
started = time.perf_counter()
import nbgraph
nbgraph.op
print(time.perf_counter() - started)
"""


def start_rows() -> Iterator[Limit]:
    """First results in new processes, and the import's own share."""
    for name, call, cold_limit, warm_limit in (
        ("smooth_l1", "first()", 1.2, 0.7),
        ("gelu forward + backward", "both()", 2.5, 0.8),
    ):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "ops_under_test.py").write_text(OPS, encoding="utf-8")
            env = {"NBGRAPH_CACHE_DIR": f"{folder}/cache", "PYTHONPATH": folder}
            code = COLD.format(code=f"from ops_under_test import *\n{call}")
            yield Limit(f"first call of {name}, cold", cold(code, env), cold_limit)
            yield Limit(f"first call of {name}, warm", cold(code, env, repeats=3), warm_limit)
    yield Limit("import nbgraph, its own share", cold(IMPORT, repeats=5), 0.060)


def rows() -> list[Row | Limit]:
    """Everything."""
    return [
        *smooth_l1_rows(),
        *function_rows(),
        *broadcast_rows(),
        *reduction_rows(),
        *small_rows(),
        *start_rows(),
    ]


if __name__ == "__main__":
    ng.engine.set("naive")  # one thread for large calls, too
    raise SystemExit(report(rows()))
