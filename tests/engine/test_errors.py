"""Where failures go, and that each is raised once."""

import contextlib
import sys

import pytest

import nbgraph as ng
from nbgraph.errors import EngineError
from tests.engine.conftest import WAIT


def raising(error):
    def fails(run_ctx):
        raise error

    return fails


def here():
    return sys._getframe(1).f_lineno


def test_a_failure_is_raised_at_the_next_wait_once_with_the_users_line(engine):
    """X-ENG-08: the very exception, a note with operation and line, and nothing the second time."""
    v = engine.new_variable()
    error = ValueError("bad page")
    line = here() + 1
    engine.push(raising(error), mutate_vars=[v], name="load")
    with pytest.raises(ValueError, match="bad page") as caught:
        engine.wait_for_var(v, WAIT)
    assert caught.value is error
    (note,) = error.__notes__
    assert note == (
        f"in operation 'load', pushed at {__file__}:{line} in "
        "test_a_failure_is_raised_at_the_next_wait_once_with_the_users_line"
    )
    assert any(entry.name == "fails" for entry in caught.traceback)
    engine.wait_for_var(v, WAIT)
    engine.wait_for_all(WAIT)
    assert v.error is error  # until a write succeeds


@pytest.mark.parametrize(
    ("push", "takes"), [("push", "run_ctx"), ("push_async", "run_ctx, on_complete")]
)
def test_a_function_that_cannot_be_called_is_answered_with_what_it_takes(engine, push, takes):
    """X-ENG-08: the context is easily forgotten."""
    v = engine.new_variable()
    getattr(engine, push)(lambda: None, mutate_vars=[v])
    with pytest.raises(TypeError, match="takes 0 positional arguments") as caught:
        engine.wait_for_var(v, WAIT)
    assert caught.value.__notes__[0] == f"the engine calls it with ({takes}): lambda {takes}: ..."


def test_what_depends_on_a_failure_is_skipped_and_hands_it_on(engine, gate):
    """X-ENG-08: down a chain; what is unrelated runs."""
    a, b, c, other = (engine.new_variable() for _ in range(4))
    ran = []
    closed = gate(engine, a)
    engine.push(raising(ValueError("first")), mutate_vars=[a])
    reader = engine.push(lambda run_ctx: ran.append("b"), const_vars=[a], mutate_vars=[b])
    engine.push(lambda run_ctx: ran.append("c"), const_vars=[b], mutate_vars=[c])
    engine.push(lambda run_ctx: ran.append("other"), mutate_vars=[other])
    closed.open()
    engine.wait_for_var(other, WAIT)
    with pytest.raises(ValueError, match="first"):
        engine.wait_for_var(c, WAIT)
    assert ran == ["other"]
    with pytest.raises(ValueError, match="first"):  # its own error, whoever was told before
        reader.result(WAIT)
    assert [x.version for x in (a, b, c)] == [2, 1, 1]  # the gate wrote `a` too


def test_a_later_push_is_not_poisoned_by_an_error_already_raised(engine):
    """X-ENG-08; notes: the race in which pushed work runs or is skipped by luck."""
    v, w = engine.new_variable(), engine.new_variable()
    engine.push(raising(ValueError("x")), mutate_vars=[v])
    with pytest.raises(ValueError):
        engine.wait_for_var(v, WAIT)
    assert engine.push(lambda run_ctx: 1, const_vars=[v], mutate_vars=[w]).result(WAIT) == 1
    assert v.error is not None and w.error is None


def test_what_was_pushed_before_the_raise_is_skipped_even_if_it_starts_after(engine, gate):
    """Notes, section D: decided by push numbers alone."""
    v, held = engine.new_variable(), engine.new_variable()
    ran = []
    failing = engine.push(raising(ValueError("x")), mutate_vars=[v])
    closed = gate(engine, held)
    before = engine.push(lambda run_ctx: ran.append("before"), const_vars=[v, held])
    with pytest.raises(ValueError):
        failing.result(WAIT)
    after = engine.push(lambda run_ctx: ran.append("after"), const_vars=[v, held])
    closed.open()
    engine.wait_for_all(WAIT)
    assert ran == ["after"]
    assert isinstance(before.exception(WAIT), ValueError) and after.exception(WAIT) is None


def test_a_write_that_succeeds_clears_the_failure(engine):
    """NO_SKIP runs in spite of it: X-ENG-05."""
    v = engine.new_variable()
    engine.push(raising(ValueError("x")), mutate_vars=[v])
    repair = engine.push(
        lambda run_ctx: "repaired", mutate_vars=[v], prop=engine.FnProperty.NO_SKIP
    )
    assert engine.push(lambda run_ctx: "read", const_vars=[v]).result(WAIT) == "read"
    assert repair.result(WAIT) == "repaired"
    engine.wait_for_var(v, WAIT)
    assert v.error is None
    with pytest.raises(ValueError, match="x"):  # cleared is not told
        engine.wait_for_all(WAIT)


def test_a_failure_is_not_kept_on_an_immune_variable(engine):
    """RES-02, X-ENG-08: whoever fails with a scratch buffer leaves it to the next."""
    scratch, out = engine.new_variable("scratch", immune=True), engine.new_variable("out")
    engine.push(raising(ValueError("lost")), mutate_vars=[scratch, out], name="load")
    used = engine.push(lambda run_ctx: "used", mutate_vars=[scratch])
    assert used.result(WAIT) == "used"
    assert scratch.error is None
    with pytest.raises(ValueError, match="lost"):
        engine.wait_for_var(out, WAIT)
    engine.push(raising(OSError("nobody told")), mutate_vars=[scratch], name="alone")
    with pytest.raises(OSError, match="nobody told"):
        engine.wait_for_all(WAIT)


def test_what_overwrites_a_poisoned_variable_runs_and_clears_it(engine):
    """X-ENG-08, X-ENG-10: OVERWRITE does not need what it writes; what it reads it does."""
    a, b = engine.new_variable("a"), engine.new_variable("b")
    overwrite = engine.FnProperty.OVERWRITE
    engine.push(raising(ValueError("lost")), mutate_vars=[a], name="load")
    fresh = engine.push(lambda run_ctx: "new", mutate_vars=[a], prop=overwrite)
    assert fresh.result(WAIT) == "new"
    assert a.error is None
    engine.push(raising(ValueError("lost again")), mutate_vars=[a], name="load")
    skipped = engine.push(lambda run_ctx: 1, const_vars=[a], mutate_vars=[b], prop=overwrite)
    with pytest.raises(ValueError, match="lost again"):
        skipped.result(WAIT)
    assert str(b.error) == "lost again"
    with contextlib.suppress(ValueError):
        engine.wait_for_all(WAIT)  # the failure of the first load, which nobody has seen


def test_wait_for_all_raises_the_first_pushed_and_lists_the_others(engine, gate):
    """X-ENG-08: by push order, not by time."""
    held, v, w = (engine.new_variable() for _ in range(3))
    closed = gate(engine, held)
    first = ValueError("pushed first")
    engine.push(raising(first), mutate_vars=[held], name="one")
    second = engine.push(raising(KeyError("second")), mutate_vars=[v], name="two")
    engine.push(raising(OSError("third")), mutate_vars=[w], name="three")
    with pytest.raises(KeyError):
        second.result(WAIT)
    closed.open()
    with pytest.raises(ValueError, match="pushed first") as caught:
        engine.wait_for_all(WAIT)
    assert caught.value is first
    listed = first.__notes__[-1]
    assert listed.startswith("1 more failed:") and "'three'" in listed and "third" in listed
    engine.wait_for_all(WAIT)
    engine.wait_for_var(w, WAIT)


def test_of_several_failures_the_first_pushed_counts(engine):
    a, b, c = (engine.new_variable() for _ in range(3))
    engine.push(raising(ValueError("a")), mutate_vars=[a])
    engine.push(raising(ValueError("b")), mutate_vars=[b])
    both = engine.push(lambda run_ctx: 0, const_vars=[b, a], mutate_vars=[c])
    assert str(both.exception(WAIT)) == "a"
    assert str(c.error) == "a"


def test_a_failure_without_variables_is_raised_by_wait_for_all(engine):
    engine.push(raising(ValueError("lonely")))
    with pytest.raises(ValueError, match="lonely"):
        engine.wait_for_all(WAIT)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_interrupts_inside_a_function_are_raised_at_the_wait(engine, kind):
    v = engine.new_variable()
    engine.push(raising(kind()), mutate_vars=[v])
    with pytest.raises(kind):
        engine.wait_for_var(v, WAIT)
    assert engine.push(lambda run_ctx: 1, mutate_vars=[v]).result(WAIT) == 1
    assert v.error is None


def test_exceptions_that_refuse_notes_are_raised_all_the_same(engine):
    class Frozen(Exception):
        def __setattr__(self, name, value):
            raise AttributeError(name)

    v = engine.new_variable()
    engine.push(raising(Frozen("cold")), mutate_vars=[v])
    with pytest.raises(Frozen, match="cold"):
        engine.wait_for_var(v, WAIT)


def test_raising_again_does_not_grow_the_traceback(engine):
    pending = engine.push(raising(ValueError("x")))
    lengths = []
    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            pending.result(WAIT)
        lengths.append(len(caught.traceback))
    assert len(set(lengths)) == 1


def test_a_great_many_failures_do_not_fill_the_memory(engine):
    for _ in range(1500):
        engine.push(raising(ValueError("again")))
    with pytest.raises(ValueError, match="again") as caught:
        engine.wait_for_all(WAIT)
    assert "1499 more failed" in caught.value.__notes__[-1]
    assert engine.stats().failures == 0


def test_deleting_runs_in_spite_of_a_failure(engine):
    """ENG-22."""
    v = engine.new_variable()
    engine.push(raising(ValueError("x")), mutate_vars=[v])
    assert engine.delete_variable(v, lambda run_ctx: "closed").result(WAIT) == "closed"
    with pytest.raises(ValueError, match="x"):
        engine.wait_for_all(WAIT)


@pytest.mark.parametrize(
    "wait",
    [
        lambda engine, v, p: engine.wait_for_var(v),
        lambda engine, v, p: engine.wait_for_all(),
        lambda engine, v, p: p.result(),
        lambda engine, v, p: engine.stop(),
        lambda engine, v, p: engine.set("naive"),
    ],
)
def test_waiting_inside_a_function_is_refused(engine, gate, wait):
    """It would wait for itself."""
    v = engine.new_variable()
    other = gate(engine, engine.new_variable())

    def waits(run_ctx):
        wait(engine, v, other.pending)

    pending = engine.push(waits, mutate_vars=[v], name="impatient")
    with pytest.raises(EngineError, match="called inside operation 'impatient', pushed at"):
        pending.result(WAIT)


def test_a_result_that_is_there_may_be_read_inside_a_function(engine):
    ready = engine.push(lambda run_ctx: 20)
    engine.wait_for_all(WAIT)
    assert engine.push(lambda run_ctx: ready.result() + 1).result(WAIT) == 21


def test_errors_live_on_when_the_engine_changes(engine):
    """Versions and failures belong to the variables; X-ENG-04."""
    v = engine.new_variable()
    engine.push(lambda run_ctx: None, mutate_vars=[v])
    engine.push(raising(ValueError("old")), mutate_vars=[v])
    kind = engine.current().kind
    engine.set("naive")
    assert v.version == 2 and isinstance(v.error, ValueError)
    skipped = engine.push(lambda run_ctx: None, const_vars=[v])
    with pytest.raises(ValueError, match="old"):
        ng.engine.wait_for_var(v, WAIT)
    assert skipped.exception(WAIT) is v.error
    assert engine.push(lambda run_ctx: 1, const_vars=[v]).result(WAIT) == 1
    engine.set(kind)
