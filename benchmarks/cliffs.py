"""How much slower the variants of a call are than its fastest one, with 16 elements.

    python -m benchmarks.cliffs [--all] [--most 3] [NAME ...]

A call is made on NumPy arrays and on NDArrays: plainly, with `out`, with parameters by name, with a
parameter that changes at each call, on strided and on complex operands, without dimensions, and
recorded; then come everyday calls that belong together. A figure is the least time of a call in
microseconds over many repeats; all variants of an operator take turns in one process. A line ends
with the largest ratio to the fastest variant; those above `--most` are listed once more. With
`--all` every scalar operator of the library is called, else those of `CALLS`.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from nbgraph.operator import registry
from nbgraph.operator.mapper.mapper import Mapper

Call = Callable[[], object]
Variants = dict[str, Call]

# name, operands, keywords of operators that are more than a scalar function
CALLS: Mapping[str, tuple[int, dict[str, Any]]] = {
    "smooth_l1": (1, {}),
    "add": (2, {}),
    "exp": (1, {}),
    "clip": (3, {}),
    "leaky_relu": (1, {}),
    "sum": (1, {"axis": 1}),
    "mean": (1, {"axis": 1}),
    "max": (1, {"axis": 1}),
    "softmax": (1, {"axis": 1}),
    "matmul": (2, {}),
    "take": (1, {"indices": [0, 2], "axis": 1}),
}
COMPLEX = {"add", "exp", "sum", "mean", "matmul"}  # those that take complex numbers
SHAPE = (4, 4)
REPEATS, CALLS_A_REPEAT = 15, 200


def _numbers(op: Any) -> dict[str, float]:
    """Return the parameters of a scalar or row operator that are floats, with their defaults."""
    if not isinstance(op, Mapper):
        row = getattr(op, "op", None)
        return {n: row.program.parameters[n].default for n in getattr(row, "numeric", ())}
    own = [p for p in op.scalar.parameters if not p.is_static and not p.required]
    return {p.name: p.default for p in own if isinstance(p.default, float)}


def variants(
    name: str, operands: int, keywords: Mapping[str, Any], world: Callable[[Any], Any]
) -> Variants:
    """Return the variants of a call of an operator on arrays that `world` makes."""
    op = getattr(ng, name)
    wide = np.linspace(0.1, 0.9, 64, dtype="float32").reshape(8, 8)
    arrays = [world(np.ascontiguousarray(wide[:4, :4])) for _ in range(operands)]
    strided = [world(wide)[::2, ::2] for _ in range(operands)]
    found: Variants = {
        "plain": lambda: op(*arrays, **keywords),
        "strided": lambda: op(*strided, **keywords),
    }
    if name in COMPLEX:
        parts = [world(np.ascontiguousarray(wide[:4, :4] * (1 + 1j))) for _ in range(operands)]
        found["complex"] = lambda: op(*parts, **keywords)
    scalar = isinstance(op, Mapper)
    if scalar:
        out = op(*arrays)
        none = [a[0, 0] for a in arrays]
        found["0-d"] = lambda: op(*none)
        if op.nout == 1:
            found["out"] = lambda: op(*arrays, out=out)
    parameters = _numbers(op)
    if parameters:
        first, value = next(iter(parameters.items()))
        sweep = itertools.count()
        found["keywords"] = lambda: op(*arrays, **keywords, **parameters)
        found["changed"] = lambda: op(
            *arrays, **keywords, **{first: value + 1e-3 * (next(sweep) % 1000)}
        )
    if world is ng.array:
        found["recorded"] = _recorded(found["plain"], arrays)
    return found


def _recorded(call: Call, arrays: list[Any]) -> Call:
    """Return many calls within one `autograd.record`, as entering that is no part of a call."""
    for array in arrays:
        array.attach_grad()

    def run() -> None:
        with ng.autograd.record():
            for _ in range(CALLS_A_REPEAT):
                call()

    run.calls = CALLS_A_REPEAT  # type: ignore[attr-defined]
    return run


def places(world: Callable[[Any], Any]) -> Variants:
    """Return ways to select rows and columns of an array that `world` makes."""
    x = world(np.ones(SHAPE, "float32"))
    indices, mask = world(np.array([0, 2])), x > 0.5
    return {
        "rows": lambda: x[indices],
        "columns": lambda: x[:, indices],
        "list": lambda: x[[0, 2]],
        "list of columns": lambda: x[:, [0, 2]],
        "pairs": lambda: x[indices, indices],
        "parts of rows": lambda: x[indices, 1:3],
        "mask": lambda: x[mask],
    }


def new_arrays() -> Variants:
    """Return arrays of one value, and in order."""
    sweep = itertools.count()
    return {
        "zeros": lambda: ng.zeros(16),
        "eye": lambda: ng.eye(4),
        "linspace": lambda: ng.linspace(0, 1, 16),
        "full, changing": lambda: ng.full(16, float(next(sweep) % 1000)),
    }


def compositions(x: Any, v: Any, others: Any) -> Variants:
    """Return calls of several kernels each."""
    return {
        "concatenate": lambda: ng.concatenate([x, x]),
        "of two dtypes": lambda: ng.concatenate([x, others]),
        "insert": lambda: ng.insert(v, 2, 5.0),
        "delete": lambda: ng.delete(v, 2),
        "lstsq": lambda: ng.linalg.lstsq(x, x[0]),
        "cond": lambda: ng.linalg.cond(x),
        "pinv": lambda: ng.linalg.pinv(x),
    }


def numbers(x: Any) -> Variants:
    """Return calls on a NumPy array beside Python numbers."""
    whole, half = np.arange(16), x > 0.5
    return {
        "maximum": lambda: ng.maximum(x, x),
        "of a number": lambda: ng.maximum(x, 0.0),
        "integers + 1": lambda: ng.add(whole, 1),
        "where(mask, x, 0)": lambda: ng.where(half, x, 0.0),
    }


def many() -> Variants:
    """Return powers of 10,000 numbers of NumPy, and their counts in 50 bins."""
    x = np.linspace(0.1, 3, 10_000, dtype="float32")
    powers = {f"power(x, {y})": functools.partial(ng.power, x, y) for y in (3.0, 7.0, 2.5, -2.0)}
    return {
        "square": lambda: ng.square(x),
        **powers,
        "power(x, 2.3)": lambda: ng.power(x, 2.3),
        "vector_norm": lambda: ng.linalg.vector_norm(x, ord=3),
        "histogram": lambda: ng.histogram(x, 50),
    }


def everyday() -> Iterator[tuple[str, Variants]]:
    """Yield calls on NDArrays of 16 elements that belong together, by what they are."""
    x, y, v, out = ng.ones(SHAPE), ng.ones(SHAPE), ng.ones(16), ng.zeros(4)
    lines, number = ng.array(np.array([1, 3])), np.float64(2.0)
    host, others, wide = np.ones(SHAPE, "float32"), ng.ones(SHAPE, "float64"), ng.zeros(SHAPE)
    half, whole, many = host > 0.5, np.arange(16), np.arange(100) % 16

    def in_place(value: Any) -> Call:
        def add() -> None:
            nonlocal y
            y += value

        return add

    def write(key: Any, array: Any = v) -> Call:
        return lambda: array.__setitem__(key, 1.0)

    writes = {
        "v[3:9]": write(slice(3, 9)),
        "v[j]": write(lines),
        "v[array]": write(whole[:2]),
        "v[long array]": write(many),
        "x[j, j]": write((lines, lines), x),
        "x[mask]": write(ng.array(half), x),
        "x[mask of NumPy]": write(half, x),
        "putmask": lambda: np.putmask(x, half, 1.0),
        "put": lambda: np.put(x, lines, 1.0),
        "fill_diagonal": lambda: ng.fill_diagonal(x, 1.0),
    }
    into = {
        "sum": lambda: ng.sum(x, axis=0),
        "sum, out=": lambda: ng.sum(x, axis=0, out=out),
        "cumsum, out=": lambda: ng.cumsum(x, axis=0, out=wide),
        "matmul, out=": lambda: ng.matmul(x, x, out=wide),
        "x * array, out=": lambda: ng.multiply(x, host, out=wide),
        "max, initial=": lambda: ng.max(x, axis=0, initial=0.0),
    }
    beside = {
        "x + y": lambda: x + y,
        "x + array": lambda: x + host,
        "array + x": lambda: host + x,
        "x + float64": lambda: x + number,
        "x += y": in_place(x),
        "x += array": in_place(host),
    }
    groups = {
        "new arrays": new_arrays(),
        "writes": writes,
        "out=, initial=": into,
        "beside NumPy": beside,
    }
    yield from groups.items()
    yield "compositions", compositions(x, v, others)
    yield "NumPy arrays", numbers(host)
    yield "10,000 numbers", many()


def draws() -> Variants:
    """Return draws by the same parameters, and by others at each call; choices."""
    sweep = itertools.count(1)
    return {
        "plain": lambda: ng.random.normal(1.5, 1.0, SHAPE),
        "changed": lambda: ng.random.normal(1e-3 * next(sweep), 1.0, SHAPE),
        "choice": lambda: ng.random.choice(16, 4),
    }


def bound() -> Variants:
    """Return runs of a bound graph with and without a gradient of its output."""
    output = ng.sym.smooth_l1(ng.var("x"), sigma=2.0)
    loss, alone = ng.sym.sum(output).simple_bind(x=SHAPE), output.simple_bind(x=SHAPE)
    slope = ng.ones(SHAPE)
    return {
        "loss": loss.forward_backward,
        "out_grads": lambda: alone.forward_backward(out_grads=[slope]),
    }


def least(found: Variants) -> dict[str, float]:
    """Return the least microseconds of each call; all take turns."""
    best = dict.fromkeys(found, float("inf"))
    for turn in range(REPEATS + 1):
        for name, call in found.items():
            calls = getattr(call, "calls", 0)
            begin = time.perf_counter()
            for _ in range(1 if calls else CALLS_A_REPEAT):
                call()
            taken = (time.perf_counter() - begin) / CALLS_A_REPEAT * 1e6
            if turn:  # the first compiles
                best[name] = min(best[name], taken)
        ng.waitall()
    return best


def cases(names: list[str], *, every: bool) -> Iterator[tuple[str, Variants]]:
    """Yield what is measured, by its label."""
    calls = dict(CALLS)
    if every:
        for name in registry.names():
            op = getattr(ng, name, None)
            if isinstance(op, Mapper) and not op.scalar.draws and set(op.probe_kinds) == {"f"}:
                calls.setdefault(name, (op.nin, {}))
    worlds = {"NumPy": np.asarray, "NDArray": ng.array}
    for name, (operands, keywords) in calls.items():
        if not names or name in names:
            for label, world in worlds.items():
                yield f"{name}, {label}", variants(name, operands, keywords, world)
    if not names:
        yield "x[places], NDArray", places(ng.array)
        yield from everyday()
        yield "draws", draws()
        yield "forward_backward", bound()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="operators; all where none is given")
    parser.add_argument("--all", action="store_true", help="every scalar operator")
    parser.add_argument("--most", type=float, default=3.0, help="ratios above are listed")
    options = parser.parse_args()
    above: list[str] = []
    for label, found in cases(options.names, every=options.all):
        taken = least(found)
        fastest = min(taken.values())
        cells = "  ".join(f"{name} {us:.2f}" for name, us in taken.items())
        print(f"{label:22} {cells}  ratio {max(taken.values()) / fastest:.1f}")
        above += [
            f"{label}: {name} {us / fastest:.1f}"
            for name, us in taken.items()
            if us > options.most * fastest
        ]
    print(f"\nabove {options.most:g}: {len(above)}")
    print("\n".join(above))


if __name__ == "__main__":
    main()
