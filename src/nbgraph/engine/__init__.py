"""Scheduling of functions by the variables that they read and write.

A function is pushed with the variables it reads (`const_vars`) and those it changes
(`mutate_vars`). Any two functions of which one changes a common variable run in push order; all
others may run at the same time. A variable stands for whatever is shared: an array, a file, a
random stream.

>>> import nbgraph as ng
>>> box, seen = ng.engine.new_variable("box"), []
>>> for i in range(3):
...     p = ng.engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])
>>> ng.engine.wait_for_var(box)
>>> seen
[0, 1, 2]

An exception that a function raises is kept on the variables it writes; operations that need those
variables are skipped; and the error is raised, once, at the next wait for such a variable, at
`wait_for_all`, or by `Pending.result`. It names the operation and the line that pushed it. Errors
that were never raised are printed when the process ends, and do not change its exit status; where
a function writes nothing and its `Pending` is garbage, the logger "nbgraph" reports it at once.

>>> def fails(run_ctx):
...     raise OSError("no such page")
>>> p = ng.engine.push(fails, mutate_vars=[box])
>>> ng.engine.wait_for_var(box)
Traceback (most recent call last):
OSError: no such page
in operation 'fails', pushed at <doctest nbgraph.engine[6]>:1 in <module>
>>> box.error
OSError('no such page')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nbgraph.engine.base import AsyncFn as AsyncFn
from nbgraph.engine.base import Callback as Callback
from nbgraph.engine.base import Engine as Engine
from nbgraph.engine.base import Fn as Fn
from nbgraph.engine.events import Event as Event
from nbgraph.engine.operation import Operator as Operator
from nbgraph.engine.pending import Pending as Pending
from nbgraph.engine.properties import FnProperty as FnProperty
from nbgraph.engine.running import OnComplete as OnComplete
from nbgraph.engine.selection import choose
from nbgraph.engine.selection import current as current
from nbgraph.engine.selection import of_current as _of_current
from nbgraph.engine.sites import Site as Site
from nbgraph.engine.variable import Variable as Variable
from nbgraph.foreign import published

if TYPE_CHECKING:
    from nbgraph.engine.chaos.race import Race

__dir__, __getattr__ = published("ng.engine", globals())

DAGEngine = Engine  # its first name


def set(kind: str, workers: int | None = None, seed: int | None = None) -> None:
    """Wait until everything unfinished has ended, and replace the engine by one of another kind.

    Parameters
    ----------
    kind : "naive" runs each operation at its push; "threaded" on worker threads; "chaos" in a
        seeded random order, to find variables that were not declared
    workers : int, optional: number of host threads, for "threaded"
    seed : int, optional, for "chaos"

    Variables, versions and failures live on. No other thread may push meanwhile.

    >>> import nbgraph as ng
    >>> kind = ng.engine.current().kind
    >>> ng.engine.set("naive")
    >>> ng.engine.current().kind
    'naive'
    >>> ng.engine.set(kind)
    """
    choose(kind, workers, seed)


def find_race(fn: Callable[[], Any], runs: int = 200) -> Race | None:
    """Return two unordered operations on whose order the result of `fn` depends, or None.

    `fn()` pushes to `ng.engine`, waits, and returns something or asserts. Its result on the naive
    engine is the correct one; it is called on the chaos engine with seeds 0, 1, ..., `runs` - 1
    until a result differs. The race says which two operations conflict, the lines that pushed
    them, and which variable was not declared; `race.replay()` repeats the failing run. None means
    that no seed failed. Each call of `fn` must start from the same state.

    >>> import nbgraph as ng
    >>> def program():
    ...     data, total = ng.engine.new_variable("data"), ng.engine.new_variable("total")
    ...     found = [1]
    ...     ng.engine.push(lambda run_ctx: found.append(2), mutate_vars=[data], name="fill")
    ...     p = ng.engine.push(lambda run_ctx: sum(found), mutate_vars=[total], name="add")
    ...     return p.result(timeout=10)
    >>> race = ng.engine.find_race(program)
    >>> race.difference.splitlines()[0]
    'the result: 1 instead of 3'
    >>> [party.name for party in race.operations], race.variable
    (['fill', 'add'], 'data')
    >>> print(race.remedies[0])  # doctest: +ELLIPSIS
    'add' does not declare 'data', which 'fill' writes: add it to const_vars of the push at ...
    """
    from nbgraph.engine.chaos import find_race as races

    return races.find_race(fn, runs)


# methods of the active engine
new_variable = _of_current(Engine.new_variable)
delete_variable = _of_current(Engine.delete_variable)
push = _of_current(Engine.push)
push_async = _of_current(Engine.push_async)
new_operator = _of_current(Engine.new_operator)
push_operator = _of_current(Engine.push_operator)
delete_operator = _of_current(Engine.delete_operator)
bulk = _of_current(Engine.bulk)
wait_for_var = _of_current(Engine.wait_for_var)
wait_for_all = _of_current(Engine.wait_for_all)
stats = _of_current(Engine.stats)
dump = _of_current(Engine.dump)
add_listener = _of_current(Engine.add_listener)
remove_listener = _of_current(Engine.remove_listener)
start = _of_current(Engine.start)
stop = _of_current(Engine.stop)
