"""The unit that tests of this room share, compiled once per run."""

from nbgraph.codegen import unit
from tests.codegen import unit_functions

ROOTS = {"total": 2, "limit": 2, "spin": 2, "minus_one": 2, "line": 3}
KEY = unit.content_key("tests of codegen")


def built():
    """Compile the unit, whatever the disk holds."""
    from nbgraph.native import atomics

    names = {"load": atomics.load_acquire, "store": atomics.store_release, "pause": atomics.pause}
    made = unit.transplant(unit_functions.ALL, names)
    return unit.build(KEY, {name: (made[name], arity) for name, arity in ROOTS.items()})


def shared():
    """The unit, from disk where it is there."""
    return unit.load(KEY) or built()
