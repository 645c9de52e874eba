"""The calls: variables, operators, waits, choice of engine, and what it shows."""

import functools
import gc
import inspect
import sys
import threading
import time
import weakref

import pytest

import nbgraph as ng
from nbgraph.engine.base import Engine
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.sites import Site
from nbgraph.errors import EngineError, EngineTimeout
from nbgraph.tracebacks import file_label
from tests.engine.conftest import WAIT
from tests.support import child


def nothing(run_ctx):
    pass


# variables -------------------------------------------------------------------------------------


def test_a_variable_is_a_light_token(engine):
    """ENG-17, ENG-18, ENG-21, X-ENG-01, X-ENG-07."""
    gc.collect()
    before = engine.stats().variables
    v = engine.new_variable("weights")
    assert (v.name, v.version, v.error, v.deleted) == ("weights", 0, None, False)
    assert engine.new_variable().number > v.number
    assert repr(v) == f"<variable {v.number} 'weights', version 0, ready>"
    assert not hasattr(v, "__dict__")
    engine.push(nothing, mutate_vars=[v])
    engine.push(nothing, const_vars=[v])
    engine.wait_for_var(v, WAIT)
    assert v.version == 1
    assert engine.stats().variables == before + 1
    del v
    engine.wait_for_all(WAIT)
    gc.collect()
    assert engine.stats().variables == before


def test_a_variable_says_what_state_it_is_in(engine, gate):
    v = engine.new_variable()
    closed = gate(engine, v)
    assert repr(v) == f"<variable {v.number}, version 0, in use>"
    closed.open(ValueError("x"))
    with pytest.raises(ValueError):
        engine.wait_for_var(v, WAIT)
    assert repr(v) == f"<variable {v.number}, version 1, failed: ValueError('x')>"
    engine.delete_variable(v)
    assert "deleted" in repr(v)


def test_deleting_runs_after_every_earlier_use(engine, gate):
    """ENG-22: after readers and writers, never before; X-ENG-10."""
    v, held = engine.new_variable("file"), engine.new_variable()
    closed = gate(engine, held)
    order = []
    engine.push(lambda run_ctx: order.append("read"), const_vars=[v, held])
    engine.push(lambda run_ctx: order.append("write"), mutate_vars=[v])
    gone = engine.delete_variable(v, lambda run_ctx: order.append("deleted"))
    assert v.deleted and not gone.done()
    closed.open()
    gone.result(WAIT)
    assert order == ["read", "write", "deleted"]
    with pytest.raises(EngineError, match="has been deleted"):
        engine.delete_variable(v)


def test_wait_for_var_waits_for_readers_too(engine, gate):
    """ENG-26."""
    v, held = engine.new_variable(), engine.new_variable()
    closed = gate(engine, held)
    reader = engine.push(nothing, const_vars=[v, held])
    with pytest.raises(EngineTimeout):
        engine.wait_for_var(v, timeout=0.01)
    threading.Timer(0.02, closed.open).start()
    engine.wait_for_var(v, WAIT)
    assert reader.done()


def test_wait_for_all_waits_for_everything(engine, gate):
    """ENG-27."""
    closed = gate(engine, engine.new_variable())
    threading.Timer(0.02, closed.open).start()
    assert ng.waitall is ng.engine.wait_for_all
    engine.wait_for_all(WAIT)
    stats = engine.stats()
    assert stats.pending == 0 and stats.pushed == stats.completed


def test_a_wait_that_takes_too_long_names_what_is_unfinished(engine, gate):
    """ENG-14, X-ENG-15: the text is the dump."""
    v = engine.new_variable("page")
    gate(engine, v, name="download")
    engine.push(nothing, const_vars=[v], name="parse")
    for wait in (
        lambda: engine.wait_for_all(timeout=0.01),
        lambda: engine.wait_for_var(v, timeout=0),
    ):
        with pytest.raises(TimeoutError, match="not done after") as caught:
            wait()
        for part in ("download", "parse", "waits for on_complete", "page", __file__):
            assert part in str(caught.value)
    assert isinstance(caught.value, EngineError)


# operators -------------------------------------------------------------------------------------


def test_an_operator_is_pushed_many_times(engine):
    """ENG-28, ENG-29, ENG-31: prepared sets, run in order."""
    a, b = engine.new_variable(), engine.new_variable()
    seen = []
    opr = engine.new_operator(
        lambda run_ctx: seen.append(len(seen)), const_vars=[a, b], mutate_vars=[b], name="step"
    )
    assert repr(opr) == "<operator 'step': reads 1, writes 1>"
    for i in range(100):
        pending = engine.push_operator(opr, priority=i % 3, ctx=ng.cpu())
    assert pending.name == "step" and pending.site.filename == __file__
    engine.wait_for_var(b, WAIT)
    assert seen == list(range(100)) and b.version == 100


def test_an_asynchronous_operator(engine):
    """ENG-28: AsyncFn."""
    v = engine.new_variable()
    opr = engine.new_operator(
        lambda run_ctx, done: threading.Timer(0.001, done).start(),
        mutate_vars=[v],
        asynchronous=True,
        name="timer",
    )
    for _ in range(3):
        engine.push_operator(opr)
    engine.wait_for_var(v, WAIT)
    assert v.version == 3


def test_deleting_an_operator_waits_for_its_pushes(engine, gate):
    """ENG-30, Z-3: they still run, then what it held goes."""

    class Held:
        pass

    held, v, seen = Held(), engine.new_variable(), []
    gone = weakref.ref(held)
    closed = gate(engine, v)
    opr = engine.new_operator(
        lambda run_ctx, held=held: seen.append(1), mutate_vars=[v], name="old"
    )
    del held
    engine.push_operator(opr)
    engine.delete_operator(opr)
    gc.collect()
    assert gone() is not None
    with pytest.raises(EngineError, match="push_operator of 'old': the operator made at .*deleted"):
        engine.push_operator(opr)
    with pytest.raises(EngineError, match="delete_operator of 'old'.*deleted"):
        engine.delete_operator(opr)
    closed.open()
    engine.wait_for_all(WAIT)
    gc.collect()
    assert seen == [1] and gone() is None and "deleted" in repr(opr)


def test_an_operator_outlives_a_change_of_engine(engine):
    v = engine.new_variable()
    opr = engine.new_operator(nothing, mutate_vars=[v])
    kind = engine.current().kind
    engine.push_operator(opr)
    engine.set("naive")
    engine.push_operator(opr)
    engine.set(kind)
    engine.push_operator(opr).result(WAIT)
    assert v.version == 3


# names -----------------------------------------------------------------------------------------


def test_names_and_aliases():
    """ENG-06, ENG-09, ENG-12, X-ENG-05."""
    assert ng.engine.DAGEngine is ng.engine.Engine
    assert ng.engine.DAGEngine.Fn is ng.engine.Fn
    assert ng.engine.Engine.AsyncFn is ng.engine.AsyncFn
    assert ng.engine.Callback is ng.engine.OnComplete
    kinds = "NORMAL COPY_FROM_GPU COPY_TO_GPU CPU_PRIORITIZED ASYNC DELETE_VAR GPU_PRIORITIZED"
    assert [p.name for p in ng.engine.FnProperty] == [*kinds.split(), "NO_SKIP", "OVERWRITE"]
    assert ng.engine.FnProperty.kCopyFromGPU is ng.engine.FnProperty.COPY_FROM_GPU


@pytest.mark.parametrize("prop", ["COPY_FROM_GPU", "COPY_TO_GPU", "CPU_PRIORITIZED"])
def test_every_property_runs(engine, prop):
    """X-ENG-05."""
    v = engine.new_variable()
    pending = engine.push(
        lambda run_ctx: "ran", mutate_vars=[v], prop=ng.engine.FnProperty[prop], nbytes=8
    )
    assert pending.result(WAIT) == "ran"


def test_operations_are_named_after_their_functions(engine):
    """X-ENG-06."""

    class Callable:
        def __call__(self, run_ctx):
            return 1

    assert engine.push(nothing).name == "nothing"
    assert engine.push(functools.partial(functools.partial(nothing))).name == "nothing"
    assert engine.push(Callable()).name == "Callable"
    assert engine.push(nothing, name="given").name == "given"


def test_a_site_is_the_users_line(engine):
    def helper():
        return engine.push(nothing, name="here")

    site = helper().site
    assert site == Site(__file__, helper.__code__.co_firstlineno + 1, helper.__qualname__)
    made = {}
    exec(compile("\n\np = push(f)", "<cell>", "exec"), {"push": engine.push, "f": nothing}, made)
    assert str(made["p"].site) == "<cell>:3 in <module>"


def test_a_notebook_cell_is_named_as_ipython_names_it(monkeypatch):
    class Shell:
        class compile:
            @staticmethod
            def format_code_name(name):
                return ("Cell", "In[3]") if "ipykernel" in name else None

    class IPython:
        get_ipython = Shell

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    assert file_label("/tmp/ipykernel_1/2.py") == "Cell In[3]"
    assert file_label("losses.py") == "losses.py"


# what it shows ---------------------------------------------------------------------------------


def test_stats_count(engine, gate):
    """X-ENG-15."""
    before = engine.stats()
    v = engine.new_variable()
    closed = gate(engine, v)
    engine.push(nothing, const_vars=[v], nbytes=1000)
    stats = engine.stats()
    assert stats.kind == engine.current().kind
    assert stats.pushed == before.pushed + 2
    assert (stats.pending, stats.pending_bytes) == (2, 1000)
    closed.open()
    engine.push(lambda run_ctx: 1 / 0)
    engine.current()._wait_all(time.monotonic() + WAIT)
    after = engine.stats()
    assert (after.pending, after.pending_bytes, after.failures) == (0, 0, 1)
    assert set(after.to_dict()) >= {"kind", "workers", "pushed", "completed", "limits"}
    assert "failures nobody has seen  1" in str(after)
    assert "completed" in after._repr_html_()


def test_dump_tells_who_waits_for_whom(engine, gate):
    """X-ENG-15."""
    a, b = engine.new_variable("a"), engine.new_variable("b")
    closed = gate(engine, a, name="hold")
    engine.push(nothing, const_vars=[a], mutate_vars=[b], name="copy")
    engine.push(nothing, const_vars=[a, b], name="show")
    engine.push(nothing, mutate_vars=[a], name="reset")
    dump = engine.dump()
    hold, copy, show, reset = dump.operations
    assert [o.name for o in dump.operations] == ["hold", "copy", "show", "reset"]
    assert copy.waits_for == (hold.number,)
    assert show.waits_for == (hold.number, copy.number)
    assert reset.waits_for == (hold.number, copy.number, show.number)
    assert copy.state == "waiting" and 0 <= copy.age < WAIT
    assert copy.site.startswith(__file__)
    assert copy.reads == (f"a ({a.number})",) and copy.writes == (f"b ({b.number})",)
    queue = dump.variables[f"a ({a.number})"]
    assert [entry.split()[1] for entry in queue] == ["writes", "reads", "reads", "writes"]
    assert any(s in str(dump) for s in ("waits for on_complete", "running", "ready"))
    assert f"#{show.number}" in dump._repr_html_() and dump.to_dict()["kind"] == dump.kind
    closed.open()
    engine.wait_for_all(WAIT)
    assert "nothing" in str(engine.dump())


def test_listeners_hear_of_every_operation(engine):
    """X-ENG-06, X-ENG-13: profiling hook."""
    heard = []
    engine.add_listener(heard.append)
    try:
        v = engine.new_variable()
        engine.push(nothing, mutate_vars=[v], name="fine")
        engine.push(lambda run_ctx: 1 / 0, mutate_vars=[v], name="fails")
        engine.push(nothing, const_vars=[v], name="skipped")
        with pytest.raises(ZeroDivisionError):
            engine.wait_for_all(WAIT)
    finally:
        engine.remove_listener(heard.append)
    engine.push(nothing).result(WAIT)
    assert [(e.name, e.status) for e in heard] == [
        ("fine", "ok"),
        ("fails", "failed"),
        ("skipped", "skipped"),
    ]
    for event in heard:
        assert event.pushed_ns <= event.started_ns <= event.ended_ns
        assert event.site.filename == __file__


def test_debug_mode_speaks_of_functions_that_hold_a_worker(engine):
    """ENG-11."""
    with ng.config(debug=1):
        slow = engine.push(lambda run_ctx: time.sleep(0.15) or "slept", name="slow")
        with pytest.raises(RuntimeWarning, match="'slow' held a worker for 1.. ms.*push_async"):
            slow.result(WAIT)  # a warning is an error in these tests
        assert engine.push(lambda run_ctx: "quick").result(WAIT) == "quick"
    assert engine.push(lambda run_ctx: time.sleep(0.12) or "slept").result(WAIT) == "slept"


# choice of engine ------------------------------------------------------------------------------


def test_set_waits_and_raises_nothing(engine, gate):
    """X-ENG-04."""
    v, w = engine.new_variable(), engine.new_variable()
    closed = gate(engine, v)
    engine.push(lambda run_ctx: 1 / 0, mutate_vars=[w])
    after = engine.push(nothing, const_vars=[v])
    threading.Timer(0.02, closed.open).start()
    engine.set("naive")
    assert after.done() and engine.current().kind == "naive"
    with pytest.raises(ZeroDivisionError):
        engine.wait_for_all(WAIT)


def test_stop_and_start(engine, gate):
    """X-ENG-12: a stopped engine starts again by itself."""
    closed = gate(engine, engine.new_variable())
    engine.push(lambda run_ctx: 1 / 0)
    threading.Timer(0.02, closed.open).start()
    engine.stop()
    assert engine.stats().pending == 0
    assert engine.push(lambda run_ctx: 1).result(WAIT) == 1
    engine.start()
    with pytest.raises(ZeroDivisionError):
        engine.wait_for_all(WAIT)


def test_the_setting_chooses_the_first_engine():
    """X-ENG-04: NBGRAPH_ENGINE."""
    code = "import nbgraph as ng; print(ng.engine.current().kind)"
    for value, words in (("naive", "naive"), ("quick", "expected one of naive, threaded, chaos")):
        ended = child("-c", code, NBGRAPH_ENGINE=value)
        assert words in ended.stdout + ended.stderr


def test_an_engine_object_has_its_own_variables(engine):
    other = NaiveEngine()
    v = other.new_variable("foreign")
    assert other.push(lambda run_ctx: 1, mutate_vars=[v]).result(WAIT) == 1
    with pytest.raises(EngineError, match=r"mutate_vars\[0\]=<variable .*another engine"):
        engine.push(nothing, mutate_vars=[v])
    with pytest.raises(EngineError, match="another engine"):
        engine.wait_for_var(v)
    opr = other.new_operator(nothing, mutate_vars=[v])
    with pytest.raises(EngineError, match="belongs to another engine"):
        engine.push_operator(opr)


def test_every_call_of_an_engine_is_a_function_of_the_module():
    """Declared once, on `Engine`: the same name, parameters and documentation."""
    calls = [n for n, _ in inspect.getmembers(Engine, inspect.isfunction) if not n.startswith("_")]
    own = {"site_id", "push_to_device"}  # what arrays and operators ask for
    for name in set(calls) - own:
        function, method = getattr(ng.engine, name), getattr(Engine, name)
        parameters = list(inspect.signature(method).parameters.values())
        assert list(inspect.signature(function).parameters.values()) == parameters[1:], name
        assert (function.__name__, function.__doc__) == (name, method.__doc__)
    assert {"push", "wait_for_all", "stop"} <= set(calls)
