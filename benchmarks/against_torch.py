"""Operators and layers against PyTorch on random configurations: values and derivatives.

    python -m benchmarks.against_torch --seed 0 --cases 30 [--kind pooling.mean] [--only 17]

Each configuration is computed by PyTorch, and by us on arrays, by `ng.jit` and as a bound graph:
the result, the gradients from one out-gradient, and the gradients of the sum of their squares.
What differs is printed with the configuration that shows it, and the number that its generator
was made of; the exit status is then 1. `against_torch_optim` compares optimizers.
"""

from __future__ import annotations

import argparse
import importlib
import traceback
import zlib
from typing import Any

import numpy as np

from benchmarks.harness import peer
from benchmarks.torch_cases.case import Case, Make
from benchmarks.torch_cases.ways import WAYS, difference, wanted

FAMILIES = (
    "convolving pooling standardising losses elements softmaxes picking sorting reducing "
    "multiplying recurrent attending"
).split()


def makers(chosen: str) -> dict[str, Make]:
    """What draws configurations, by name."""
    found: dict[str, Make] = {}
    wanted_family, _, wanted_kind = chosen.partition(".")
    for family in FAMILIES:
        if wanted_family in ("", family):
            module = importlib.import_module(f"benchmarks.torch_cases.{family}")
            found |= {f"{family}.{kind}": make for kind, make in module.KINDS.items()}
    return {name: make for name, make in found.items() if wanted_kind in name}


def failures(case: Case, torch: Any) -> list[str]:
    """What differs, by way."""
    judge, seed = wanted(case, torch)
    told: list[str] = []
    for name, run in WAYS.items():
        try:
            off, where = difference(run(case, seed, len(judge) - 1), judge)
        except Exception as problem:
            last = traceback.extract_tb(problem.__traceback__)[-1]
            said = str(problem).partition("\n")[0]
            told.append(f"{name}: {type(problem).__name__} {said} ({last.filename}:{last.lineno})")
            continue
        if not off <= case.tolerance:
            told.append(f"{name}: {where} differs by {off:.1e}")
    return told


def compare(name: str, make: Make, torch: Any, numbers: range, seed: int) -> int:
    """Run the configurations of a kind; how many differ."""
    failed = 0
    for number in numbers:
        key = [seed, zlib.crc32(name.encode()), number]
        case = make(np.random.default_rng(key), torch)
        for line in failures(case, torch):
            failed += 1
            shapes = [x.shape for x in case.operands]
            print(f"  --kind {name} --only {number}: {case.text} of {shapes}: {line}", flush=True)
    return failed


def main() -> int:
    """Run; 1 if a configuration differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=30, help="configurations of each kind")
    parser.add_argument("--kind", default="", help="a family, or family.kind")
    parser.add_argument("--only", type=int, help="this configuration alone")
    asked = parser.parse_args()
    torch = peer("torch")
    if torch is None:
        print("PyTorch is not installed: nothing to compare with")
        return 1
    torch.set_num_threads(1)
    numbers = range(asked.cases) if asked.only is None else range(asked.only, asked.only + 1)
    failed = 0
    for name, make in makers(asked.kind).items():
        found = compare(name, make, torch, numbers, asked.seed)
        failed += found
        print(f"{name:32} {len(numbers)} configurations, {found} differences", flush=True)
    print(f"{failed} differences" if failed else "all agree")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
