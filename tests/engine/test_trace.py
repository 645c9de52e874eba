"""Profiles: table, Chrome trace, timeline."""

import json
import threading
import time
from xml.etree import ElementTree as ET

import pytest

import nbgraph as ng
from tests.engine.conftest import WAIT

SVG = "{http://www.w3.org/2000/svg}"


def work(engine, v):
    for _ in range(3):
        engine.push(lambda run_ctx: time.sleep(0.004), mutate_vars=[v], name="load")
    engine.push(lambda run_ctx: None, const_vars=[v], name="show <b>")
    engine.push_async(
        lambda run_ctx, done: threading.Timer(0.002, done).start(), const_vars=[v], name="send"
    )


@pytest.fixture
def profile(engine):
    v = engine.new_variable()
    with ng.profile() as p:
        work(engine, v)
    engine.push(lambda run_ctx: None, name="outside").result(WAIT)
    return p


def test_a_profile_counts_by_name(profile):
    """X-ENG-06: what was pushed in the block is there when it ends, and nothing else."""
    rows = {row.operation: row for row in profile.rows()}
    assert set(rows) == {"load", "show <b>", "send"}
    load = rows["load"]
    assert load.count == 3 and load.max >= load.mean >= 0.004
    assert load.total == pytest.approx(3 * load.mean)
    assert rows["send"].total >= 0.0015
    assert all(row.waited >= 0 for row in rows.values())
    totals = [row.total for row in profile.rows()]
    assert totals == sorted(totals, reverse=True)


def test_a_profile_prints_a_table(profile):
    head, first, *_ = str(profile).splitlines()
    assert head.split() == "operation count total mean max waited failed skipped".split()
    assert first.startswith(profile.rows()[0].operation) and " ms" in first
    assert str(ng.profile()) == "nothing ran"


def test_a_profile_as_data(profile):
    data = json.loads(json.dumps(profile.to_dict()))
    assert {row["operation"] for row in data["operations"]} == {"load", "show <b>", "send"}
    assert len(data["events"]) == 5
    assert all("test_trace.py" in event["site"] for event in data["events"])


def test_the_trace_has_the_form_that_perfetto_reads(profile, tmp_path):
    """X-SYM-09: the trace event format: complete events, names of tracks, microseconds; operations
    have the names that were given to them."""
    path = tmp_path / "trace.json"
    profile.save(path)
    trace = json.loads(path.read_text())
    events = trace["traceEvents"]
    named = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    assert len(spans) == 5 and {e["ph"] for e in events} == {"M", "X"}
    for e in spans:
        assert isinstance(e["name"], str) and isinstance(e["pid"], int) and e["tid"] in named
        assert e["ts"] >= 0 and e["dur"] >= 0
        assert e["args"]["waited_us"] == pytest.approx(e["ts"] - e["args"]["pushed_us"], abs=0.01)
        assert e["args"]["status"] == "ok" and "test_trace.py" in e["args"]["site"]
    assert sum(e["dur"] for e in spans if e["name"] == "load") >= 12_000
    (send,) = (e for e in spans if e["name"] == "send")
    assert named[send["tid"]] == "async 1" and send["cat"] == "async"


def test_asynchronous_operations_that_overlap_have_tracks_of_their_own(engine, gate):
    with ng.profile() as p:
        gates = [gate(engine, engine.new_variable(), name=f"wait {i}") for i in range(3)]
        for one in gates:
            assert one._begun.wait(WAIT)
        for one in gates:
            one.open()
    spans = [e for e in p.trace()["traceEvents"] if e["ph"] == "X"]
    assert len({e["tid"] for e in spans}) == 3


def test_the_timeline_is_a_picture(profile):
    svg = ET.fromstring(profile.timeline())
    bars = list(svg.iter(f"{SVG}rect"))
    assert len(bars) == 5
    hints = [bar.find(f"{SVG}title").text for bar in bars]
    assert sum(h.startswith("load: ") and "test_trace.py" in h for h in hints) == 3
    assert all(float(b.get("x")) + float(b.get("width")) <= 761 for b in bars)
    assert "<svg" in profile._repr_html_() and "show &lt;b&gt;" in profile._repr_html_()


def test_failed_and_skipped_are_counted_apart(engine):
    v = engine.new_variable()
    with ng.profile() as p:
        engine.push(lambda run_ctx: 1 / 0, mutate_vars=[v], name="fails")
        engine.push(lambda run_ctx: None, const_vars=[v], name="after")
    rows = {row.operation: row for row in p.rows()}
    assert (rows["fails"].failed, rows["fails"].skipped) == (1, 0)
    assert (rows["after"].failed, rows["after"].skipped, rows["after"].total) == (0, 1, 0)
    with pytest.raises(ZeroDivisionError):
        engine.wait_for_all(WAIT)


def test_profiles_nest(engine):
    """X-SYM-09: each has what ran while it was open."""
    with ng.profile() as outer:
        engine.push(lambda run_ctx: None, name="one").result(WAIT)
        with ng.profile() as inner:
            engine.push(lambda run_ctx: None, name="two")
        engine.push(lambda run_ctx: None, name="three")
    assert [e.name for e in inner.events] == ["two"]
    assert [e.name for e in outer.events] == ["one", "two", "three"]


def test_members_of_a_bulk_are_events(engine):
    with ng.profile() as p, engine.bulk(10):
        for name in ("one", "two"):
            engine.push(lambda run_ctx: None, name=name)
    assert [e.name for e in p.events] == ["one", "two"]


def test_a_block_that_raises_is_left_at_once(engine, gate):
    """X-SYM-09: an error in the block waits for nothing that was pushed in it."""
    with pytest.raises(RuntimeError), ng.profile() as p:
        gate(engine, engine.new_variable())
        raise RuntimeError
    assert p.events == []
    assert engine.current()._listeners == ()


def test_what_began_before_the_block_counts_from_its_beginning(engine, gate):
    """Not from the beginning of the clock, where nobody noted when it was pushed."""
    v, x = engine.new_variable(), ng.zeros(10)
    held = gate(engine, v, x.variable)
    for _ in range(3):
        x += 1  # kernels that are on their way
    before = time.monotonic()
    with ng.profile() as p:
        threading.Timer(0.02, held.open).start()
        engine.wait_for_var(v, WAIT)
        x.wait_to_read()
    took = time.monotonic() - before
    rows = {row.operation: row for row in p.rows()}
    assert rows["add"].count == 3 or engine.current().kind == "naive"
    for event in p.events:
        assert 0 <= event.ended_ns - event.started_ns <= took * 1e9
        assert event.pushed_ns <= event.started_ns
    assert all(0 <= row.waited <= took + 60 for row in p.rows())
