"""Operators and layers against PyTorch on random configurations: values and derivatives.

    python -m benchmarks.against_torch --seed 0 --cases 30 [--kind pooling.mean] [--only 17]

Each configuration is computed by PyTorch, and by us on arrays, by `ng.jit` and as a bound graph:
the result, the gradients from one out-gradient, and the gradients of the sum of their squares.
What differs is printed with the configuration that shows it, and the number that its generator
was made of; the exit status is then 1. `against_torch_optim` compares optimizers.

Both compute in float64. With `--dtype float32` (or float16) ours and PyTorch's in that are compared
with PyTorch's in float64: ours may be off by ten times as much as PyTorch's.
"""

from __future__ import annotations

import argparse
import importlib
import traceback
import zlib
from typing import Any

import numpy as np

from benchmarks.harness import peer
from benchmarks.torch_cases.case import Array, Case, Make
from benchmarks.torch_cases.ways import WAYS, Found, difference, wanted

FAMILIES = (
    "convolving pooling standardising losses elements softmaxes picking sorting reducing "
    "multiplying recurrent attending edges drawn large"
).split()

LEAST = {"float32": 2e-6, "float16": 4e-3}  # what ours may be off whatever PyTorch is


def makers(chosen: str) -> dict[str, Make]:
    """What draws configurations, by name."""
    found: dict[str, Make] = {}
    wanted_family, _, wanted_kind = chosen.partition(".")
    for family in FAMILIES:
        if wanted_family in ("", family):
            module = importlib.import_module(f"benchmarks.torch_cases.{family}")
            found |= {f"{family}.{kind}": make for kind, make in module.KINDS.items()}
    return {name: make for name, make in found.items() if wanted_kind in name}


def failures(case: Case, torch: Any, dtype: str) -> list[str] | None:
    """What differs, by way; None where PyTorch has nothing to compare with."""
    told: list[str] = []
    try:
        judge, seed = wanted(case, torch)
    except Exception as problem:
        return [f"PyTorch: {said(problem)}"]
    if dtype in LEAST:
        try:
            case, seed = narrowed(case, dtype, judge, torch)
        except RuntimeError:  # constants of another dtype, or there is no such function
            return None
    for name, run in WAYS.items():
        try:
            off, where = difference(run(case, seed, len(judge) - 1), judge)
        except Exception as problem:
            told.append(f"{name}: {said(problem)}")
            continue
        if not off <= case.tolerance:
            told.append(f"{name}: {where} differs by {off:.1e}")
    return told


def said(problem: Exception) -> str:
    """What an error says, and where it was raised."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    text = str(problem).partition("\n")[0]
    return f"{type(problem).__name__} {text} ({last.filename}:{last.lineno})"


def cast(case: Case, dtype: str) -> Case:
    """The same in another dtype."""
    with np.errstate(over="ignore"):
        return case._replace(
            operands=[x.astype(dtype) if x.dtype.kind == "f" else x for x in case.operands]
        )


def narrowed(case: Case, dtype: str, judge: Found, torch: Any) -> tuple[Case, Array | None]:
    """The same in another dtype, with what PyTorch is off as a measure; and the seed."""
    case = cast(case, dtype)
    theirs, seed = wanted(case, torch)
    off, _ = difference(theirs, judge[: len(theirs)])
    return case._replace(tolerance=max(10 * off, LEAST[dtype], case.tolerance)), seed


def compare(name: str, make: Make, torch: Any, numbers: range, asked: Any) -> int:
    """Run the configurations of a kind; how many differ."""
    failed = skipped = 0
    for number in numbers:
        key = [asked.seed, zlib.crc32(name.encode()), number]
        case = make(np.random.default_rng(key), torch)
        if asked.dtype in LEAST:  # numbers that it has
            case = cast(cast(case, asked.dtype), "float64")
        lines = failures(case, torch, asked.dtype)
        skipped += lines is None
        for line in lines or []:
            failed += 1
            shapes = [x.shape for x in case.operands]
            print(f"  --kind {name} --only {number}: {case.text} of {shapes}: {line}", flush=True)
    left_out = f", {skipped} left out" if skipped else ""
    print(f"{name:32} {len(numbers)} configurations{left_out}, {failed} differences", flush=True)
    return failed


def main() -> int:
    """Run; 1 if a configuration differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=30, help="configurations of each kind")
    parser.add_argument("--kind", default="", help="a family, or family.kind")
    parser.add_argument("--only", type=int, help="this configuration alone")
    parser.add_argument("--dtype", default="float64", choices=["float64", *LEAST])
    asked = parser.parse_args()
    torch = peer("torch")
    if torch is None:
        print("PyTorch is not installed: nothing to compare with")
        return 1
    torch.set_num_threads(1)
    numbers = range(asked.cases) if asked.only is None else range(asked.only, asked.only + 1)
    failed = 0
    for name, make in makers(asked.kind).items():
        failed += compare(name, make, torch, numbers, asked)
    print(f"{failed} differences" if failed else "all agree")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
