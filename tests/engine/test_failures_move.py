"""A failure that lies on several arrays, which go from engine to engine."""

from tests.support import run_python

PROGRAM = """
import faulthandler
import nbgraph as ng

faulthandler.dump_traceback_later(60, exit=True)


def fails(run_ctx):
    raise OSError("no such page")


xs = [ng.ones(4) for _ in range(3)]
for kind in ("naive", "threaded"):
    ng.engine.set(kind)
    ng.engine.push(fails, mutate_vars=[x.variable for x in xs])
    try:
        ng.waitall()
    except OSError:
        ng.engine.set("naive" if kind == "threaded" else "threaded")
        for x in xs:
            x[:] = 3
        ng.engine.wait_for_all()
        print([x.tolist() for x in xs] == [[3.0] * 4] * 3)
"""


def test_a_failure_that_is_forgotten_may_come_back():
    """The first array that is written anew lets the failure go, the others bring it once more:
    the list of failures to forget had a circle, and no wait came to an end."""
    assert run_python("-c", PROGRAM).split() == ["True", "True"]
