"""Kernels with a mistake each, on the simulated GPU: what it says of them, a line of JSON each.

python -m tests.kernels.cuda.mutants
"""

import json

import numpy as np

from nbgraph.kernels.cuda import grid as grids
from tests.kernels.cuda.simulated import reductions, rows
from tests.kernels.cuda.simulator import Launch
from tests.kernels.llvm import collected, twins

MUTANTS = (  # form, what is changed (its first occurrence), into what, what is said of it,
    # teams of a block
    ("map", "while i < total", "while i < total + 1", "1 float32 at byte 148 of x0"),
    ("map", "i = start", "i = start - 1", "4 float32 at byte -16 of x0"),
    ("map", "i += step", "i += 1", "race"),
    ("reduce", "while i < m:", "while i <= m:", "1 float32 at byte 148 of x0"),
    ("reduce", "\n    barrier()", "", "nobody wrote it|race"),  # who comes first
    ("reduce", "thread() % 32 == 0", "thread() == 0", "shared_float32[1] is read, and nobody"),
    ("totals", "barrier()\n    return", "return", "race"),
    ("totals", "if thread() == 0:", "if thread() < 2:", "byte 0 of y"),
    ("totals", "(thread() % 32) % 2", "thread() % 32", "which has a place for each warp"),
    ("totals", "\n    value = load", "\n    if thread() < 9:\n        barrier()\n    value = load",
     "wait for each other at different places"),
    ("rows", "if thread() == 0:", "if thread() >= 0:", "race"),
    ("reduce", "traded(value, 16)", "traded(value, 8)", "other numbers"),
    ("totals", "if mine < total and", "if", "race", 4),
    ("reduce", "traded(value, 8)", "traded(value, 16)", "other numbers", 4),
    ("rows", "begin += step * 4", "begin += step", "race", 4),
)  # fmt: skip


def loop_of(form, rng):
    """A loop of a form with float32 sums, if it has any."""
    found = list(collected.few().values()) if form == "map" else []
    found += rows(rng) if form == "rows" else reductions(rng) if form != "map" else []
    return next(loop for loop in found if loop.form == form and _suits(loop))


def _suits(loop):
    """A map of float32, sums of float32, a row program with one value a row."""
    first = loop.outputs[0]
    if loop.form == "map":
        return first.dtype == "float32"
    if loop.form == "rows":
        return first.layout == "0"
    if loop.form == "reduce" and loop.operands[0].dtype != "float32":
        return False
    return first.combine == "add" and loop.operands[0].node.kind == "f"


def said(form, old, new, loop, teams):
    """What the simulator says of a mutant."""
    rng = np.random.default_rng(3)
    made = twins.prepared(rng, loop, (3,) if form in grids.BLOCKS else (), 37)
    grid = grids.choose(loop, made.words)._replace(threads=64, ahead=1)
    if form in grids.BLOCKS:
        grid = grids.teamed(loop, grid, 37, 64 // teams, teams)
    names = [*(f"x{k}" for k in range(len(loop.operands))), *("y" for _ in loop.outputs)]
    launch = Launch.of(loop, grid, made.words, made.memory, names)
    assert old in launch.text.text, (old, launch.text.text)
    before = [a.copy() for a in made.memory]
    launch.run(1)
    right = [a.copy() for a in made.memory]
    for array, kept in zip(made.memory, before, strict=True):
        array[...] = kept
    launch = Launch.of(loop, grid, made.words, made.memory, names)
    try:
        launch.run(1, lambda text: text.replace(old, new, 1))
    except Exception as error:
        return str(error)
    return "" if all(map(twins.same, made.memory, right)) else "other numbers"


def main():
    """See the module."""
    rng = np.random.default_rng(1)
    loops = {form: loop_of(form, rng) for form in dict.fromkeys(m[0] for m in MUTANTS)}
    for form, old, new, expected, *teams in MUTANTS:
        text = said(form, old, new, loops[form], *(teams or [1]))
        found = {"form": form, "old": old, "said": text, "expected": expected}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
