"""The benchmark harness measures what it says, in turns, and tells met targets from missed ones."""

import pytest

from benchmarks.harness import Limit, Row, cold, machine, measure, peer, render, report


class Clock:
    """A clock that only the measured callables move."""

    now = 0.0

    def __call__(self):
        return self.now

    def takes(self, seconds):
        def call():
            self.now += seconds

        return call


def test_ratio_is_how_many_times_faster_ours_is():
    clock = Clock()
    row = Row("r", clock.takes(0.002), {"slow": clock.takes(0.006)}, {"slow": 2.5}, elements=1000)
    result = measure(row, rounds=5, clock=clock)
    assert result.seconds[""] == pytest.approx(0.002)
    assert result.ratios["slow"] == pytest.approx(3.0)
    assert result.missed() == []
    assert "2000.000 ns/elem" in render([result])
    assert render([result]).endswith("3.00     2.50  met")


def test_missed_target_is_named_and_counted(capsys):
    def busy(n):
        return lambda: sum(range(n))

    row = Row("r", busy(4000), {"quick": busy(400)}, {"quick": 1.0})
    missed = report([row, Limit("start", 0.5, at_most=0.4)], rounds=3, slice_seconds=0.001)
    printed = capsys.readouterr().out
    assert missed == 2
    assert printed.count("MISSED") == 2
    assert "0 of 2 targets met" in printed
    assert "ns/call" in printed


def test_callables_take_turns_and_slow_ones_run_once_a_round():
    clock, calls = Clock(), []
    step = clock.takes(1.0)

    def logged(name):
        return lambda: (calls.append(name), step())

    measure(Row("r", logged("a"), {"b": logged("b")}), rounds=2, slice_seconds=0.01, clock=clock)
    assert calls == [*"aaabbb", *"ab", *"ba"]  # warm and calibrate each; then in turns


def test_work_done_once_does_not_set_the_pace():
    clock, calls = Clock(), []

    def settles():
        calls.append(0)
        clock.now += 1.0 if len(calls) == 2 else 0.001

    assert measure(Row("r", settles), rounds=1, slice_seconds=0.01, clock=clock)
    assert len(calls) > 10


def test_target_without_a_peer_is_refused():
    with pytest.raises(ValueError, match="without a peer: numpy"):
        Row("r", dict, {}, {"numpy": 2.0})


def test_cold_runs_a_fresh_process():
    code = "import os, sys; assert 'pytest' not in sys.modules; print('x'); print(os.environ['T'])"
    assert cold(code, {"T": "1.5"}, repeats=2) == 1.5
    with pytest.raises(RuntimeError, match="boom"):
        cold("raise SystemExit('boom')")


def test_machine_and_peers():
    assert "Python 3." in machine()
    assert "numpy" in machine()
    assert "cores" in machine(["no-such-library"])
    assert peer("no_such_library") is None
    assert peer("math").pi > 3
