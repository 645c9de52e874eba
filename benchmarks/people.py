"""What a newcomer meets in the first minutes: first results, tracebacks, tab completion.

    python -m benchmarks.people

Seconds from the start of a process to the first value of a brand-new operator and its derivative,
with nothing but the library's own parts on disk ("cold"), and after the same program has run
("warm"); the lines that a notebook shows for common mistakes, first to last; and how many names tab
completion offers. Times depend on the machine, all else does not. It has no limits.
"""

from __future__ import annotations

import contextlib
import io
import statistics
import tempfile

from benchmarks.harness import cold

PROCESSES = 3
FIRST = """
import time
begun = time.perf_counter()
import numpy as np, nbgraph as ng

@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x

x = np.linspace(-2, 2, 16, dtype=np.float32)
smooth_l1(x), smooth_l1.derivative("x")(x)
print(time.perf_counter() - begun)
"""
OWN_PARTS = "import nbgraph as ng; float(ng.ones(3).sum())"
MISTAKES = {
    "shapes of @": "ng.ones((2, 3)) @ ng.ones((4, 5))",
    "shapes of +": "ng.ones((2, 3)) + ng.ones((4, 5))",
    "an axis that is not there": "ng.sum(ng.ones(3), axis=4)",
    "an index out of bounds": "ng.ones(3)[5]",
    "a size that does not fit": "ng.ones(6).reshape(4, 2)",
    "a ragged list": "ng.array([[1, 2], [3]])",
    "a foreign keyword": "ng.sum(ng.ones(3), dim=0)",
    "a foreign name": "ng.nn.Linear(3, 4)",
    "a misspelt name": "ng.no_such_function",
    "text for a number": "ng.nn.Dense('16')",
    "a negative rate": "ng.optim.Adam(ng.nn.Dense(2), lr=-1)",
    "gradient of several values": "ng.grad(lambda x: x * 2)(ng.ones(3))",
    "backward without record": "ng.ones(3).backward()",
    "truth of an array": "bool(ng.ones(3))",
    "a name missing in an op": "@ng.op\ndef f(x):\n    return later(x)\nf(1.0)",
    "a statement no op has": "@ng.op\ndef f(x):\n    with open('a'):\n        return x\nf(1.0)",
    "raised for an element": "@ng.op\ndef f(x):\n    assert x > 0\n    return x\nf([1.0, -1.0])",
    "shapes in a jit function": "@ng.jit\ndef f(x):\n    return x @ ng.ones((9, 9))\nf(ng.ones(2))",
    "shapes of symbols": "(ng.var('x') @ ng.var('y')).infer_shape(x=(2, 3), y=(4, 5))",
    "a failed push": "def f(ctx):\n    return 1 / 0\nng.engine.push(f).result()",
}
SPACES = ("ng", "x", "ng.nn", "ng.optim", "ng.random", "ng.linalg")


def first_results() -> dict[str, list[float]]:
    """Seconds to the first value, in new processes."""
    found = dict[str, list[float]](cold=[], warm=[])
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as folder:
            own = {"NBGRAPH_CACHE_DIR": folder}
            cold(f"{OWN_PARTS}; print(0)", own)
            for seconds in found.values():
                seconds.append(cold(FIRST, own))
    return found


def traceback_lines() -> dict[str, int]:
    """Lines that a notebook shows for each mistake."""
    from IPython.core.interactiveshell import InteractiveShell

    from nbgraph import notebook

    shell = InteractiveShell.instance(colors="nocolor")
    shell.run_cell("import nbgraph as ng")
    notebook.attend()  # as the import does, if this is the first one
    found = {}
    for what, text in MISTAKES.items():
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
            result = shell.run_cell(text)  # on standard error: compiling takes its time
        assert not result.success, f"{what}: no error"
        found[what] = len(shown.getvalue().strip().splitlines())
    InteractiveShell.clear_instance()
    return found


def completions() -> dict[str, int]:
    """How many public names each namespace offers; `x` is an array."""
    import nbgraph as ng

    scope = {"ng": ng, "x": ng.ones(3)}
    return {
        space: sum(not name.startswith("_") for name in dir(eval(space, scope))) for space in SPACES
    }


def main() -> None:
    """Print the three tables."""
    print("seconds to the first value and derivative of a new operator")
    for kind, seconds in first_results().items():
        print(f"  {kind:<30}{statistics.median(seconds):8.2f}")
    lines = traceback_lines()
    print("lines that a notebook shows for a mistake")
    for what, count in lines.items():
        print(f"  {what:<30}{count:8d}")
    print(f"  {'median':<30}{statistics.median(lines.values()):8.0f}")
    print(f"  {'most':<30}{max(lines.values()):8d}")
    print("names that tab completion offers")
    for space, count in completions().items():
        print(f"  {space + '.':<30}{count:8d}")


if __name__ == "__main__":
    main()
