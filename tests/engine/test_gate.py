"""The gate: open while pushes may go to the compiled core as they come, for the quickest ways."""

import threading

import pytest

import nbgraph as ng
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.threaded import ThreadedEngine


@pytest.fixture
def made():
    """A threaded engine of its own, whose gate is open."""
    engine = ThreadedEngine(workers=1)
    engine._opened()
    assert engine._open_gate()
    yield engine
    engine.stop()


def is_open(engine):
    return engine._owner.gate[0] is not None


def test_it_holds_the_core(made):
    assert made._owner.gate == [made._live]


def test_a_bulk_closes_it_on_whatever_thread(made):
    """X-ENG-11: a push that went past an open bulk would overtake its members."""
    inside, over = threading.Event(), threading.Event()

    def joins():
        with made.bulk(4):
            inside.set()
            over.wait(30)

    thread = threading.Thread(target=joins)
    thread.start()
    assert inside.wait(30)
    assert not is_open(made)
    assert not made._open_gate()
    over.set()
    thread.join(30)
    assert not is_open(made)  # whoever pushes next opens it
    assert made._open_gate()


def test_a_stop_closes_it(made):
    made.stop()
    assert not is_open(made)
    assert not made._open_gate()
    ran = []
    made.push(lambda ctx: ran.append(1))
    made.wait_for_all(30)
    assert ran == [1]
    assert made._open_gate()


def test_another_engine_in_force_closes_it(made):
    """SYS-04: the same variables, another order."""
    made._owner.put_in_force(NaiveEngine(owner=made._owner))
    assert not is_open(made)
    assert not made._open_gate()
    made._owner.put_in_force(made)
    assert made._open_gate()


def test_closing_wins_over_opening(made):
    """Somebody who closes it while another opens it finds it closed."""
    made._owner.gate[0] = None
    takes, asked = made._takes_pushes, []

    def closes_after_the_first_look():
        asked.append(takes())
        if len(asked) == 1:
            made._bulks += 1
            made._owner.gate[0] = None
            return True
        return takes()

    made._takes_pushes = closes_after_the_first_look
    try:
        assert not made._open_gate()
        assert not is_open(made)
    finally:
        made._bulks -= 1


@pytest.mark.parametrize("kind", ["naive", "chaos"])
def test_engines_without_a_core_of_that_kind_have_it_closed(kind):
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    ng.engine.push(lambda ctx: None)
    ng.engine.set(kind)
    assert not is_open(ng.engine.current())
    ng.engine.set(before)
