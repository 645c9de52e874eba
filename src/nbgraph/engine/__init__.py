"""What may run when: functions ordered by the variables they read and write.

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

What a function raises is kept on the variables it writes; what needs those is skipped; and the
error is raised, once, at the next wait for such a variable, at `wait_for_all`, or where the
result is asked for. It names the operation and the line that pushed it. What nobody was told of is
printed when the process ends, whose exit status stays what it is; where a function writes nothing
and its `Pending` is garbage, the logger "nbgraph" says so at once, as asyncio's does.

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

from nbgraph.device import Context
from nbgraph.engine.base import AsyncFn as AsyncFn
from nbgraph.engine.base import Callback as Callback
from nbgraph.engine.base import Engine as Engine
from nbgraph.engine.base import Fn as Fn
from nbgraph.engine.base import Variables
from nbgraph.engine.bulk import Bulk
from nbgraph.engine.current import choose
from nbgraph.engine.current import current as current
from nbgraph.engine.events import Event as Event
from nbgraph.engine.operation import Operator as Operator
from nbgraph.engine.pending import OnComplete as OnComplete
from nbgraph.engine.pending import Pending as Pending
from nbgraph.engine.properties import ASYNC, NORMAL
from nbgraph.engine.properties import FnProperty as FnProperty
from nbgraph.engine.runner import Listener
from nbgraph.engine.sites import Site as Site
from nbgraph.engine.variable import Variable as Variable

if TYPE_CHECKING:
    from nbgraph.engine.race import Race
    from nbgraph.engine.report import Dump, Stats

DAGEngine = Engine  # its first name


def set(kind: str, workers: int | None = None, seed: int | None = None) -> None:
    """Go on with an engine of another kind, after everything unfinished has ended.

    Parameters
    ----------
    kind : "naive" runs what is pushed at once; "threaded" on worker threads; "chaos" in a seeded
        random order, to find variables that were not named
    workers : int, optional: threads of the host
    seed : int, optional, of "chaos"

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
    """Look for two operations that nothing orders though the result of `fn` depends on their order.

    `fn()` pushes to `ng.engine`, waits, and returns something or asserts. What it gives on the
    naive engine is right; it is called on the chaos engine with seeds 0, 1, ... until a seed gives
    something else. The race says which two operations are behind it, the lines that pushed them,
    and which variable was not declared; `race.replay()` has it happen again. None: no seed failed.
    Each call of `fn` must begin afresh.

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
    from nbgraph.engine import races

    return races.find_race(fn, runs)


def push(
    fn: Fn,
    *,
    ctx: Context | None = None,
    const_vars: Variables = (),
    mutate_vars: Variables = (),
    priority: int = 0,
    name: str | None = None,
    nbytes: int = 0,
    prop: FnProperty = NORMAL,
) -> Pending:
    """Have `fn(run_ctx)` called after all that was pushed before it and conflicts with it.

    Parameters
    ----------
    fn : callable of a RunContext. One that waits for something else is better pushed with
        `push_async`.
    ctx : Context, optional: the device it belongs to, by default the host
    const_vars, mutate_vars : lists of variables that it reads, and that it changes. One in both, or
        twice in one, counts once, as changed if it is in `mutate_vars`.
    priority : int: among functions whose turn it is, the higher one goes first
    name : str, optional, shown in dumps, traces and errors
    nbytes : int: how much memory the function holds on to while it is pending
    prop : FnProperty

    Within the function, arrays whose variables it declares are read and written at once, and so are
    those it makes; any other raises, and so do writes to what is in `const_vars`. What it pushes
    itself comes after it where they share a variable.

    Returns
    -------
    Pending: its `result()` waits, and raises what the function raised

    Raises
    ------
    ArgumentError for what is no function or variable; EngineError for a variable that was deleted.

    >>> import nbgraph as ng
    >>> ng.engine.push(lambda run_ctx: run_ctx.device).result(timeout=10)
    cpu(0)
    >>> x = ng.zeros(2)
    >>> def fill(run_ctx):
    ...     x[:] = 7
    >>> pushed = ng.engine.push(fill, mutate_vars=[x.variable])
    >>> x + 1
    array([8., 8.], dtype=float32)
    """
    return current().push(
        fn,
        ctx=ctx,
        const_vars=const_vars,
        mutate_vars=mutate_vars,
        priority=priority,
        name=name,
        nbytes=nbytes,
        prop=prop,
    )


def push_async(
    fn: AsyncFn,
    *,
    ctx: Context | None = None,
    const_vars: Variables = (),
    mutate_vars: Variables = (),
    priority: int = 0,
    name: str | None = None,
    nbytes: int = 0,
    prop: FnProperty = ASYNC,
) -> Pending:
    """Have `fn(run_ctx, on_complete)` called; it has ended when `on_complete` has been called.

    Parameters
    ----------
    fn : callable; it may return before that, and `on_complete` may be called from any thread, once:
        `on_complete()`, or `on_complete(error)` with an exception
    ctx, const_vars, mutate_vars, priority, name, nbytes, prop : as those of `push`

    Returns
    -------
    Pending, whose result is None

    >>> import threading
    >>> import nbgraph as ng
    >>> page = ng.engine.new_variable("page")
    >>> def fetch(run_ctx, on_complete):
    ...     threading.Timer(0.01, on_complete).start()
    >>> pending = ng.engine.push_async(fetch, mutate_vars=[page])
    >>> ng.engine.wait_for_var(page, timeout=10)
    >>> pending.done()
    True
    """
    return current().push_async(
        fn,
        ctx=ctx,
        const_vars=const_vars,
        mutate_vars=mutate_vars,
        priority=priority,
        name=name,
        nbytes=nbytes,
        prop=prop,
    )


def new_operator(
    fn: Callable[..., Any],
    *,
    const_vars: Variables = (),
    mutate_vars: Variables = (),
    name: str | None = None,
    asynchronous: bool = False,
) -> Operator:
    """A function with its variables, checked once, to be pushed many times by `push_operator`.

    Parameters
    ----------
    fn : as that of `push`, or with `asynchronous` of `push_async`
    const_vars, mutate_vars, name : as those of `push`
    asynchronous : whether it ends when its `on_complete` is called

    >>> import nbgraph as ng
    >>> total, counts = ng.engine.new_variable(), [0]
    >>> def step(run_ctx):
    ...     counts[0] += 1
    >>> operator = ng.engine.new_operator(step, mutate_vars=[total])
    >>> for _ in range(3):
    ...     pending = ng.engine.push_operator(operator)
    >>> ng.engine.wait_for_var(total)
    >>> counts
    [3]
    >>> ng.engine.delete_operator(operator)
    """
    return current().new_operator(
        fn, const_vars=const_vars, mutate_vars=mutate_vars, name=name, asynchronous=asynchronous
    )


def push_operator(opr: Operator, *, ctx: Context | None = None, priority: int = 0) -> Pending:
    """Push an operator's function; see `new_operator`."""
    return current().push_operator(opr, ctx=ctx, priority=priority)


def delete_operator(opr: Operator) -> None:
    """No push of it any more; what it holds is released when its last push has ended."""
    current().delete_operator(opr)


def new_variable(name: str | None = None, *, immune: bool = False) -> Variable:
    """A fresh token for anything that functions share; the name shows in dumps.

    What a function raises is kept on the variables it writes, except on an `immune` one: a scratch
    buffer, a random stream, whose content nobody reads after a failure.

    >>> import nbgraph as ng
    >>> ng.engine.new_variable("weights").version
    0
    """
    return current().new_variable(name, immune=immune)


def delete_variable(var: Variable, fn: Fn | None = None) -> Pending:
    """No push may name the variable any more; `fn(run_ctx)` runs after all that did.

    >>> import nbgraph as ng
    >>> file = ng.engine.new_variable("file")
    >>> ng.engine.delete_variable(file, lambda run_ctx: "closed").result(timeout=10)
    'closed'
    """
    return current().delete_variable(var, fn)


def wait_for_var(var: Variable, timeout: float | None = None) -> None:
    """Wait until every earlier push that reads or changes the variable has ended.

    Parameters
    ----------
    var : Variable
    timeout : seconds, by default no limit; then an `EngineTimeout` names what is unfinished

    A failure that the variable carries is raised, if nobody has been told of it.
    """
    current().wait_for_var(var, timeout)


def wait_for_all(timeout: float | None = None) -> None:
    """Wait until everything pushed has ended.

    Parameters
    ----------
    timeout : seconds, by default no limit; then an `EngineTimeout` names what is unfinished

    Of the failures that nobody has been told of, the one pushed first is raised; the others are
    listed in a note on it and count as raised too.
    """
    current().wait_for_all(timeout)


def bulk(n: int) -> Bulk:
    """Join consecutive pushes of synchronous functions, up to n, into one operation.

    >>> import nbgraph as ng
    >>> box, seen = ng.engine.new_variable(), []
    >>> with ng.engine.bulk(10):
    ...     for i in range(4):
    ...         p = ng.engine.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[box])
    >>> ng.engine.wait_for_var(box)
    >>> seen
    [0, 1, 2, 3]
    """
    return current().bulk(n)


def stats() -> Stats:
    """Counts of the engine in force: pushed, completed, unfinished, bytes, limits, failures."""
    return current().stats()


def dump() -> Dump:
    """Every unfinished operation with what it waits for, and the queue of every variable in use.

    >>> import nbgraph as ng
    >>> ng.engine.wait_for_all()
    >>> ng.engine.dump().operations
    ()
    """
    return current().dump()


def add_listener(listener: Listener) -> None:
    """Have `listener(event)` called for every operation that ends, on the thread it ends on."""
    current().add_listener(listener)


def remove_listener(listener: Listener) -> None:
    """Undo one `add_listener`."""
    current().remove_listener(listener)


def start() -> None:
    """Start the workers now; the first push does it otherwise."""
    current().start()


def stop() -> None:
    """Wait for everything, raising nothing, and end the workers. A push starts them again."""
    current().stop()
