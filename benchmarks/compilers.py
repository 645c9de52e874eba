"""Kernels by LLVM's way against the same ones by Numba: how fast they run, how soon they exist.

    python -m benchmarks.compilers

Both compilers read the same emitted text, so the kernels differ by what LLVM was told. Both run
over the same memory, in turns, on 16,384 elements that stay in the cache; a ratio is Numba's time
by LLVM's. Building is timed without any cache, after one kernel that warms up each compiler.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

import numpy as np

import nbgraph as ng
from benchmarks.harness import Factor, Row, report
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.compiler.kernel import Kernel, deferring, kernel, record
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.source import emit
from nbgraph.operator.backward import forward_backward
from nbgraph.operator.layout import layout
from nbgraph.operator.rows.reduce_call import along_axes

SIZE = 1 << 14
LEAST = 0.97  # of Numba's speed
NAMES = (
    "add maximum sqrt floor floor_divide exp expm1 log log1p log2 sin tan asin atan atan2 tanh "
    "sinh erf sigmoid softplus gelu silu mish power hypot"
).split()
random = np.random.default_rng(0)


@ng.op
def smooth_l1(x):
    if x > 1:
        return x - 0.5
    if x < -1:
        return -x - 0.5
    return 0.5 * x * x


@ng.op
def mixed(x):
    return math.tanh(x) * math.exp(-x * x) + math.log1p(math.exp(x))


def map_loop(op: ng.Mapper, dtype: str) -> Loop:
    """A contiguous map."""
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.nin, op.parameters_of({}))
    outputs = [o.name for o in plan.typed.outputs]
    return plan.loop(["c"] * (op.nin + op.nout), outputs, ["write"] * op.nout)


def loops() -> Iterator[tuple[str, Loop]]:
    """What is measured, by name."""
    for dtype in ("float32", "float64"):
        for name in NAMES:
            yield f"{name} {dtype}", map_loop(getattr(ng, name), dtype)
        yield f"smooth_l1 {dtype}", map_loop(smooth_l1, dtype)
        yield f"smooth_l1 both {dtype}", map_loop(forward_backward(smooth_l1), dtype)
        yield f"mixed {dtype}", map_loop(mixed, dtype)
        yield f"mixed, derivative {dtype}", map_loop(mixed.derivative("x"), dtype)
        x, out = layout((1, SIZE), np.dtype(dtype)), layout((1,), np.dtype(dtype))
        with deferring():
            yield f"sum {dtype}", along_axes(x, (1,), out)[0][0].code.loop
    for name in ("add", "multiply", "floor_divide", "bitwise_xor"):
        yield f"{name} int32", map_loop(getattr(ng, name), "int32")
    yield "smooth_l1 float16", map_loop(smooth_l1, "float16")


def kernels(loop: Loop) -> dict[str, Kernel]:
    """The loop's kernel by each compiler."""
    found: dict[str, Kernel] = {}
    for name in ("llvm", "numba"):
        with ng.config(compiler=name):
            found[name] = kernel(loop)
    return found


def run_rows() -> Iterator[Row]:
    """Ratios of run times."""
    for name, loop in loops():
        arrays = [
            np.abs(random.normal(0, 1.5, SIZE)).astype(o.dtype) + np.asarray(1, o.dtype)
            for o in (*loop.operands, *loop.outputs)
        ]
        addresses, steps = [a.ctypes.data for a in arrays], [a.itemsize for a in arrays]
        words = record(SIZE, addresses, steps, [], [(1, [0] * len(arrays))])
        end = SIZE if loop.form == "map" else -(-SIZE // loop.block)
        calls = {
            by: (lambda run=code.run, words=words, end=end, _keep=arrays: run(words, 0, end))
            for by, code in kernels(loop).items()
        }
        yield Row(
            name,
            calls["llvm"],
            against={"numba": calls["numba"]},
            targets={"numba": LEAST},
            elements=SIZE,
        )


def build_rows() -> Iterator[Factor]:
    """How many times sooner LLVM's way has object code."""
    gelu = forward_backward(ng.gelu)
    for name, loop in (
        ("add float32", map_loop(ng.add, "float32")),
        ("smooth_l1 both float32", map_loop(forward_backward(smooth_l1), "float32")),
        ("mixed float64", map_loop(mixed, "float64")),
        ("gelu both float32", map_loop(gelu, "float32")),
    ):
        source = emit(loop)
        took = {
            by: statistics.median(cpu.compile_source(source, by).seconds for _ in range(5))
            for by in ("llvm", "numba")
        }
        label = f"{name}: built in {took['llvm'] * 1e3:.0f} ms"
        yield Factor(label, took["numba"] / took["llvm"], 3.0)


def rows() -> list[Row | Factor]:
    """Everything."""
    return [*run_rows(), *build_rows()]


if __name__ == "__main__":
    raise SystemExit(report(rows()))
