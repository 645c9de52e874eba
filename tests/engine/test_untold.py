"""Failures that nobody waits for: logged with the Pending, printed at exit, once."""

import gc
import logging
import time

import pytest

import nbgraph as ng
from tests.engine.conftest import KINDS, WAIT
from tests.support import child

FAILS = """
import gc, logging, time
import nbgraph as ng
ng.engine.set({kind!r})
x = ng.zeros(3)
def fails(run_ctx):
    raise OSError("no such page")
"""


def ended(text, kind):
    """The program with this text behind it, which ends by itself."""
    return child("-c", FAILS.format(kind=kind) + text, timeout=90)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "push",
    [
        "p = ng.engine.push(fails)",
        "ng.engine.push(fails, mutate_vars=[x.variable])",
        "ng.engine.push(fails, mutate_vars=[x.variable]); y = x + 1",
        "ng.engine.push_async(lambda run_ctx, done: done(OSError('no such page')), name='fails')",
    ],
)
def test_a_failure_that_nobody_waits_for_is_printed_at_exit(kind, push):
    """Once, with the line that pushed it; the exit status is the program's own."""
    found = ended(push, kind)
    assert found.returncode == 0
    assert found.stderr.count("OSError: no such page") == 1, found.stderr
    assert "in operation 'fails', pushed at <string>:" in found.stderr


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "ask",
    [
        "try:\n    p.result()\nexcept OSError: pass",
        "p.exception()",
        "try:\n    ng.waitall()\nexcept OSError: pass",
        "try:\n    x.asnumpy()\nexcept OSError: pass",
    ],
)
def test_what_somebody_was_told_of_is_not_printed(kind, ask):
    found = ended(f"p = ng.engine.push(fails, mutate_vars=[x.variable])\n{ask}", kind)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("kind", KINDS)
def test_several_are_listed(kind):
    text = "for i in range(3): ng.engine.push(fails, mutate_vars=[x.variable], name=f'fails {i}')"
    found = ended(
        f"{text}\nng.engine.push(fails, mutate_vars=[ng.ones(2).variable], name='other')", kind
    )
    assert found.returncode == 0
    assert "'fails 0'" in found.stderr and "'other'" in found.stderr


def test_a_dropped_push_that_wrote_nothing_is_logged(threads, caplog):
    """Nobody can ask for it any more; a wait for all raises it all the same."""

    def fails(run_ctx):
        raise OSError("no such page")

    with caplog.at_level(logging.ERROR, "nbgraph"):
        ng.engine.push(fails, name="lost")
        end = time.monotonic() + WAIT
        while not caplog.records and time.monotonic() < end:
            ng.engine.push(lambda run_ctx: None).result(WAIT)
            gc.collect()
        (record,) = caplog.records
        assert "'lost', pushed at" in record.getMessage() and record.exc_info[0] is OSError
    with pytest.raises(OSError, match="no such page"):
        ng.engine.wait_for_all(WAIT)
    assert len(caplog.records) == 1


def test_of_many_failures_of_one_line_one_is_logged(threads, caplog):
    """A loop of pushes that all fail would bury everything else."""

    def fails(run_ctx):
        raise OSError("no such page")

    for _ in range(250):
        threads.push(fails)
    threads.stop()
    gc.collect()
    assert len(caplog.records) == 1
    with pytest.raises(OSError, match="no such page") as caught:
        threads.wait_for_all()
    assert caught.value.__notes__[-1].startswith("249 more failed:")


def test_a_push_that_somebody_asked_is_not_logged(threads, caplog):
    def fails(run_ctx):
        raise OSError("no such page")

    for written in ([], [ng.engine.new_variable()]):
        pending = ng.engine.push(fails, mutate_vars=written)
        assert isinstance(pending.exception(WAIT), OSError)
        del pending
        gc.collect()
    assert not caplog.records
