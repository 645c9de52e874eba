"""Places in one arena: shared where lives never meet, whatever the order of execution."""

import itertools
import random

import hypothesis
import pytest
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError
from nbgraph.graph.passes import memory, reach
from nbgraph.graph.passes.inplace import accumulate, take_over
from nbgraph.graph.passes.lifetimes import ALIGNMENT, GAP, footprint
from nbgraph.graph.passes.memory import fits, order, plan
from nbgraph.graph.schedule import predecessors
from tests.graph.schedules import (
    Machine,
    Writer,
    ancestors,
    chain,
    expected,
    network,
    peak,
    random_schedule,
)

REACHES = {
    "exact": reach.Exact,
    "chains": reach.Chains,
    "two chains": lambda before: reach.Chains(before, 2),
}


@pytest.fixture(params=REACHES)
def any_reach(request, monkeypatch):
    """The order of dependency, exactly and as large schedules know it."""
    monkeypatch.setattr(memory, "reach", REACHES[request.param])


def seeded(seed, count=50, **options):
    return random_schedule(random.Random(seed), count, **options)


# ------------------------------------------------------------------------------- optima


@pytest.mark.parametrize("seed", range(6))
def test_a_chain_takes_no_more_than_its_peak(any_reach, seed):
    """X-MEM-03: of any sizes; two values live at once."""
    rng = random.Random(seed)
    sizes = [rng.randrange(5000) for _ in range(100)]
    found = plan(chain(sizes))
    sizes = [footprint(size) for size in sizes]
    assert found.arena_bytes == found.peak_bytes == max(map(sum, itertools.pairwise(sizes)))
    assert found.naive_bytes == sum(sizes)


def test_different_sizes_share():
    """X-MEM-03: a large block serves two small values, and neighbours one large value."""
    b = Writer()
    big = b.task("Big", (b.given("x"),), 1000)
    p = b.task("P", (big,), 64)
    q, r = b.task("Q", (p,), 200), b.task("R", (p,), 300)
    back = b.task("Back", (q, r), 1000)
    both = b.task("Both", (back,), 600)
    b.task("End", (both,), to=b.given("end"))
    found = plan(b.schedule)
    assert found.peak_bytes == sum(map(footprint, (200, 300, 1000)))
    assert found.arena_bytes == found.peak_bytes
    assert (found.offset[q], found.offset[r]) == (0, footprint(200))
    assert found.offset[big] == found.offset[both] == 0


def test_prediction_needs_far_less_than_training():
    """X-MEM-06: two blocks for any depth; training needs its activations, and less than half of
    what it would take without sharing."""
    need = {}
    for layers in (10, 40):
        for training in (False, True):
            schedule = network(layers, 1000, training=training)
            take_over(schedule)
            found = plan(schedule)
            need[layers, training] = found.arena_bytes
            assert found.arena_bytes == found.peak_bytes
            assert not training or 2 * found.arena_bytes < found.naive_bytes
    assert need[10, False] == need[40, False] == 2 * footprint(1000)
    assert need[40, True] >= 20 * need[40, False]


def test_training_waits_for_the_gradients_of_weights():
    """X-MEM-05, by implicit edges: nothing depends on dw tasks, so what they read would stay in
    use for ever. Without waits the plan is larger, and adds no edge."""
    freely = network(20, 1000, training=True)
    before = predecessors(freely.tasks)
    without = plan(freely, waits=False)
    assert not without.waits
    assert predecessors(freely.tasks) == before
    schedule = network(20, 1000, training=True)
    found = plan(schedule)
    assert found.arena_bytes < 0.8 * without.arena_bytes
    assert {end.name[:2] for _, end in found.waits} == {"dw"}
    for task, end in found.waits:
        assert end in task.after
    assert plan(schedule).offset == found.offset  # planned again, nothing is added
    assert sum(len(task.after) for task in schedule.tasks) == len(found.waits)


# ------------------------------------------------------------------------------- safety


def branches():
    """Two chains of tasks that share nothing."""
    b = Writer()
    for colour in "ab":
        last = b.given(f"x{colour}")
        for k in range(6):
            last = b.task(f"{colour}{k}", (last,), 1000)
        b.task(f"End{colour}", (last,), to=b.given(f"end{colour}"))
    return b


def test_independent_branches_never_share(any_reach):
    """X-MEM-05: two colours keep to their own memory, and run at the same time."""
    b = branches()
    want, before = expected(b.schedule), predecessors(b.schedule.tasks)
    found = plan(b.schedule)
    places = {
        colour: {found.offset[v] for v in b.schedule.values if v.name[0] == colour}
        for colour in "ab"
    }
    assert len(places["a"]) == len(places["b"]) == 2
    assert not places["a"] & places["b"]
    assert predecessors(b.schedule.tasks) == before
    machine = Machine(b.schedule, found.offset)
    assert machine.run(random.Random(0), 2) == 2
    assert machine.results() == want


@hypothesis.given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    st.integers(1, 9),
    st.sampled_from(sorted(REACHES)),
    st.booleans(),
    st.sampled_from([memory.LARGE, 500, 0]),
)
@hypothesis.settings(max_examples=80)
def test_no_live_value_is_written_over(seed, count, width, kind, in_place, large):
    """X-MEM-05, OPP-12: any legal parallel order, with poison in what is being written."""

    def make():
        return seeded(seed, count, width=width)

    want, schedule, rng = expected(make()), make(), random.Random(seed)
    if in_place:
        accumulate(schedule)
        take_over(schedule)
        order(schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "reach", REACHES[kind])
        patch.setattr(memory, "LARGE", large)
        found = plan(schedule)
    for workers in (1, 2, 3, 8):
        machine = Machine(schedule, found.offset)
        machine.run(rng, workers)
        assert machine.results() == want


@pytest.mark.parametrize("seed", range(20))
def test_bytes_pass_to_descendants_only(any_reach, seed):
    """The rule itself, by brute force: who has a byte later begins behind all who had it; lives
    that may meet lie a cache line apart."""
    schedule = seeded(seed, 40)
    take_over(schedule)
    found = plan(schedule)
    before = ancestors(schedule.tasks)
    touched = {}
    for k, task in enumerate(schedule.tasks):
        for value in (*task.reads, *task.writes):
            while value.shared is not None:
                value = value.shared
            if not value.external:
                touched.setdefault(value, []).append(k)
    for a, b in itertools.combinations(touched, 2):
        apart = (
            found.offset[a] + a.nbytes + GAP <= found.offset[b]
            or found.offset[b] + b.nbytes + GAP <= found.offset[a]
        )
        a_first = set(touched[a]) <= before[touched[b][0]]
        b_first = set(touched[b]) <= before[touched[a][0]]
        assert apart or a_first or b_first
    for value, offset in found.offset.items():
        assert offset % ALIGNMENT == 0
        assert 0 <= offset <= found.arena_bytes - footprint(value.nbytes)


def test_the_machine_sees_a_bad_plan():
    """The test of the tests: with any two lives in one place it complains."""
    seen = 0
    for seed in range(20):
        schedule = seeded(seed)
        want = expected(schedule)
        found = plan(schedule, waits=False)
        machine = Machine(schedule, dict.fromkeys(found.offset, 0))
        try:
            machine.run(random.Random(seed), 2)
            seen += machine.results() != want
        except AssertionError:
            seen += 1
    assert seen == 20


def test_branches_of_large_values_take_turns(monkeypatch):
    """Whoever touches a large value keeps all workers busy: then memory is worth more than branches
    side by side."""
    monkeypatch.setattr(memory, "LARGE", 1000)
    want, schedule = expected(branches().schedule), branches().schedule
    found = plan(schedule)
    assert found.arena_bytes == found.peak_bytes == 2 * footprint(1000)
    assert found.waits
    machine = Machine(schedule, found.offset)
    machine.run(random.Random(0), 2)
    assert machine.results() == want


def test_branches_of_what_one_worker_does_run_side_by_side(monkeypatch):
    """A loop over steps is one worker's, however large what it reads: it waits for no other one."""
    monkeypatch.setattr(memory, "LARGE", 1000)
    schedule = branches().schedule
    for task in schedule.tasks:
        task.whole = True
    before = predecessors(schedule.tasks)
    assert not plan(schedule).waits
    assert predecessors(schedule.tasks) == before


# ------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("seed", range(20))
def test_peak_is_that_of_reference_counts(seed):
    """X-MEM-04: counted down read by read, in list order."""
    schedule = seeded(seed)
    take_over(schedule)

    def home(value):
        while value.shared is not None:
            value = value.shared
        return value

    uses, live, most = {}, set(), 0
    for task in schedule.tasks:
        for value in (*task.reads, *task.writes):
            uses[home(value)] = uses.get(home(value), 0) + 1
    for task in schedule.tasks:
        live |= {home(v) for v in (*task.reads, *task.writes) if not home(v).external}
        most = max(most, sum(footprint(value.nbytes) for value in live))
        for value in (*task.reads, *task.writes):
            uses[home(value)] -= 1
            if not uses[home(value)]:
                live.discard(home(value))
    found = plan(schedule)
    assert found.peak_bytes == peak(schedule) == most
    assert most <= found.arena_bytes <= found.naive_bytes


def test_nothing_shared_on_request():
    """OPP-12: every value its own place, and the same results."""
    schedule = seeded(1)
    want, found = expected(schedule), plan(schedule, share=False)
    assert found.arena_bytes == found.naive_bytes
    assert len(set(found.offset.values())) == len(found.offset)
    machine = Machine(schedule, found.offset)
    machine.run(random.Random(0), 4)
    assert machine.results() == want


def test_a_plan_is_the_same_every_time():
    """EXE-01: planned once, run many times; no chance in it."""
    first, second = plan(seeded(5)), plan(seeded(5))
    assert list(first.offset.values()) == list(second.offset.values())
    assert first.arena_bytes == second.arena_bytes


def test_fits():
    """X-MEM-09: the largest batch under a limit, without a change to the schedule."""

    def at(batch):
        return network(8, 64 * batch, training=True)

    limit = plan(at(10)).arena_bytes
    assert max(batch for batch in range(1, 20) if fits(at(batch), limit)) == 10
    schedule = at(10)
    assert not fits(schedule, limit - 1)
    assert not any(task.after for task in schedule.tasks)


def test_values_that_no_task_touches_have_no_place():
    b = Writer()
    b.value("unused")
    b.task("A", (), 64)
    found = plan(b.schedule)
    assert [value.name for value in found.offset] == ["a"]


# ------------------------------------------------------------------------------- order


def branches_of(count, *, interleaved):
    """Each branch makes a large value and reduces it to a small one."""
    b = Writer()
    x, small = b.given("x"), []
    large = [b.task(f"Large{k}", (x,), 10000) for k in range(count)] if interleaved else []
    for k in range(count):
        value = large[k] if interleaved else b.task(f"Large{k}", (x,), 10000)
        small.append(b.task(f"Small{k}", (value,), 64))
    b.task("End", small, to=b.given("end"))
    return b.schedule


def test_order_frees_before_it_allocates():
    schedule = branches_of(5, interleaved=True)
    want = expected(schedule)
    assert order(schedule)
    assert [task.name for task in schedule.tasks[:4]] == ["Large0", "Small0", "Large1", "Small1"]
    assert expected(schedule) == want
    assert peak(schedule) == peak(branches_of(5, interleaved=False))
    assert not order(schedule)  # nothing is gained any more


@pytest.mark.parametrize("seed", range(20))
def test_order_is_legal_and_never_costs(seed):
    """The same tasks, each behind those it waits for, and no higher peak."""
    schedule = seeded(seed)
    accumulate(schedule)
    take_over(schedule)
    tasks, before, most = list(schedule.tasks), predecessors(schedule.tasks), peak(schedule)
    changed = order(schedule)
    assert (peak(schedule) < most) == changed
    assert changed or schedule.tasks == tasks
    assert {id(task) for task in schedule.tasks} == {id(task) for task in tasks}
    place = {task: k for k, task in enumerate(schedule.tasks)}
    for task, others in zip(tasks, before):
        assert all(place[tasks[other]] < place[task] for other in others)


# ------------------------------------------------------------------------------- size


@pytest.mark.parametrize("layers", [4000])
def test_large_schedules(layers):
    """X-MEM-05: 20,000 tasks, beyond exact sets, give the same arena."""
    schedule = network(layers, 1000, training=True)
    assert len(schedule.tasks) > reach.EXACT
    accumulate(schedule)
    take_over(schedule)
    found = plan(schedule)
    assert found.arena_bytes == found.peak_bytes


# ------------------------------------------------------------------------------- what it says


def explained():
    b = Writer()
    x = b.task("X", (b.given("a"),), 640)
    y = b.task("Y", (x,), 640, rights=(0,))
    z = b.task("Z", (y,), 100)
    b.task("W", (z,), 640)
    b.task("V", (b["W"].writes[0], z), 100, rights=(0,), to=b.given("v", 100))
    take_over(b.schedule)
    return plan(b.schedule)


def test_explain():
    """API rule 9: where, how long, with whom, and why not in place."""
    found = explained()
    y = found.explain("y")
    assert (y.offset, y.over, y.together) == (found.explain("x").offset, "x", ("x",))
    assert (y.writers, y.readers, y.after) == (("Y",), ("Z",), ("w",))
    assert found.explain("w").before == ("x",)
    assert found.explain("v").notes == ("not over w: sizes differ (640 and 100 bytes)",)
    assert found.explain("v").offset is None
    for text in ("over", "passed on to", "arena, offset"):
        assert text in str(y)
        assert text in y._repr_html_()
    assert y.to_dict()["name"] == "y"
    with pytest.raises(ArgumentError, match="no value 'yy'; did you mean 'y'"):
        found.explain("yy")


def test_report():
    found = explained().report()
    facts = found.to_dict()
    assert facts["arena_bytes"] < facts["naive_bytes"]
    rows = {row["name"]: row for row in facts["values"]}
    assert rows["y"]["over"] == "x"
    assert (rows["z"]["from"], rows["z"]["to"]) == ("Z", "V")
    assert rows["v"]["place"] == rows["a"]["place"] == "given"
    assert "every value its own" in str(found)
    assert "<pre" in found._repr_html_()
    assert "more" in str(plan(network(40, 64, training=True)).report())
