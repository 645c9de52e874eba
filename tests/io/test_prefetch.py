"""Batches made ahead are those that are made one by one, and nothing of it stays behind."""

import gc
import itertools
import os
import signal
import threading
import time
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import DataError
from nbgraph.io import DataBatch, DataIter, NDArrayIter, PrefetchingIter, SourceIter
from tests.io.sources import Counted, Numbers, numbers_of

SIZES = [7, 1, 12, 30, 3, 20]


class Decoding(Numbers):
    decodes = True


SOURCES = {
    "blocks": lambda **options: Numbers(SIZES, **options),
    "whole blocks": lambda **options: Numbers(SIZES, whole=True, **options),
    "decoded": lambda **options: Decoding(SIZES, **options),
    "stream": lambda **options: Counted(73, **options),
}


def content(batches):
    return [([a.tolist() for a in batch], batch.pad, batch.index.tolist()) for batch in batches]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("shuffle", [False, True])
def test_what_is_made_ahead_is_the_same(engine, kind, depth, shuffle):
    def made(prefetch):
        source = SOURCES[kind]()
        return SourceIter(source, 16, shuffle=shuffle, seed=1, window=2, prefetch=prefetch)

    plain, ahead = made(0), made(depth)
    for _ in range(2):
        assert content(ahead) == content(plain)
        assert ahead.state_dict() == plain.state_dict()


@pytest.mark.parametrize("kind", SOURCES)
def test_the_cursor_is_behind_what_was_given(engine, kind):
    """What is under way does not count: it is read again."""
    it = SourceIter(SOURCES[kind](), 8, shuffle=True, window=2, prefetch=3)
    first = list(itertools.islice(it, 4))
    state = it.state_dict()
    rest = content(it)
    again = SourceIter(SOURCES[kind](), 8, shuffle=True, window=2, prefetch=2)
    again.load_state_dict(state)
    assert content(again) == rest
    it.load_state_dict(state)  # in place, too
    assert content(it) == rest and len(first) == 4


def test_arrays_are_made_ahead(engine):
    x, y = np.arange(60.0).reshape(30, 2), np.arange(30)
    plain = NDArrayIter(x, y, 4, True, "roll_over")
    ahead = NDArrayIter(x, y, 4, True, "roll_over", prefetch=2)
    for _ in range(3):
        assert content(plain) == content(ahead)


@pytest.mark.parametrize("kind", SOURCES)
def test_an_error_appears_at_its_batch_once(engine, kind):
    it = SourceIter(SOURCES[kind](bad=[10]), 4, last_batch_handle="keep", prefetch=3)
    found, errors = [], []
    for _ in range(60):
        try:
            found.append(next(it).index.tolist())
        except DataError as error:
            errors.append((len(found), str(error)))
        except StopIteration:
            break
    given = sorted(itertools.chain(*found))
    if kind == "stream":  # what was taken of the batch is kept
        assert given == [n for n in range(73) if n != 10]
    else:
        lost = set(range(73)) - set(given)
        assert 10 in lost and found[0] == [0, 1, 2, 3]
    assert errors and errors[0][0] == 2 and "record 10" in errors[0][1]
    assert len(errors) == 1


@pytest.mark.parametrize("kind", SOURCES)
def test_skipped_samples_are_counted(engine, kind):
    it = SourceIter(
        SOURCES[kind](bad=[10, 40]), 8, last_batch_handle="keep", on_error="skip", prefetch=2
    )
    batches = []
    with pytest.warns(UserWarning, match="2 samples of epoch 0 .*record 10"):
        batches += it
    assert sorted(numbers_of(batches)) == [n for n in range(73) if n not in {10, 40}]


class Slow(Numbers):
    """Counts how many batches are read at a time and in all."""

    def __init__(self):
        super().__init__([200, 200])
        self.begun = 0
        self.lock = threading.Lock()

    def read(self, block, rows):
        with self.lock:
            self.begun += 1
        time.sleep(0.001)
        return super().read(block, rows)


def idle(engine):
    """No operation is left."""
    ng.engine.wait_for_all(30)
    assert ng.engine.stats().pending == 0


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_no_more_than_that_many_are_made_ahead(engine, depth):
    source = Slow()
    it = SourceIter(source, 4, prefetch=depth)
    for taken in range(1, 6):
        next(it)
        ng.engine.wait_for_all(30)
        assert source.begun <= taken + depth
    it.close()
    assert source.closed and source.begun <= 5 + depth
    idle(engine)


def test_an_iterator_that_is_garbage_stops_and_closes(engine):
    list(SourceIter(Numbers([3, 3]), 4, prefetch=2))  # the engine's own threads begin
    threads = threading.active_count()
    for _ in range(2):
        source = Slow()
        it = SourceIter(source, 4, prefetch=3)
        next(it)
        gone = weakref.ref(it)
        del it
        gc.collect()
        assert gone() is None
        idle(engine)
        assert source.closed
    assert threading.active_count() <= threads


class Interrupting(Numbers):
    """Sends Ctrl-C with some of its reads, once each."""

    def __init__(self, at):
        super().__init__([32, 32])
        self.at = set(at)

    def read(self, block, rows):
        number = int(rows[0] + self.blocks[block])
        if number in self.at:
            self.at.discard(number)
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)
        return super().read(block, rows)


@pytest.mark.parametrize("depth", [0, 2])
def test_an_interrupt_loses_no_batch(engine, depth):
    expected = content(SourceIter(Numbers([64]), 4))
    it = SourceIter(Interrupting([0, 4, 20, 36, 60]), 4, prefetch=depth)
    found, interrupts = [], 0
    while True:
        try:
            batch = next(it, None)
        except KeyboardInterrupt:
            interrupts += 1
            continue
        if batch is None:
            break
        found += content([batch])
    assert found == expected and interrupts
    it.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_goes_on_by_itself():
    expected = content(SourceIter(Numbers([64]), 4))
    it = SourceIter(Numbers([64]), 4, prefetch=3)
    assert content(itertools.islice(it, 2)) == expected[:2]
    child = os.fork()
    if child == 0:
        os._exit(0 if content(it) == expected[2:] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert content(it) == expected[2:]


def test_transforms_may_use_operators(engine):
    def root(columns, draws):
        return ng.sqrt(ng.array(columns[0], dtype="float64")).asnumpy(), columns[1]

    it = SourceIter(Numbers([40]), 8, prefetch=2, transforms=[root])
    for x, y in it:
        np.testing.assert_allclose(x.asnumpy() ** 4, y.asnumpy(), rtol=1e-12)


class Countdown(DataIter):
    """An iterator of somebody else's; it fails once."""

    def __init__(self, count=5):
        super().__init__(1)
        self.count, self.at, self.threads = count, 0, set()

    def next(self):
        self.threads.add(threading.get_ident())
        self.at += 1
        if self.at == 3:
            raise ValueError("the third is bad")
        if self.at > self.count:
            raise StopIteration
        return DataBatch([np.full(1, self.at)])

    def reset(self):
        self.at = 0

    def state_dict(self):
        return {"at": self.at}

    def load_state_dict(self, state):
        self.at = state["at"]


def test_any_iterator_is_read_ahead(engine):
    it = PrefetchingIter(Countdown(), n=2)
    for _ in range(2):
        found = []
        with pytest.raises(ValueError, match="the third is bad"):
            for (x,) in it:
                found += x.tolist()
        assert found == [1, 2] and it.state_dict() == {"at": 3}
        assert [x.tolist() for (x,) in it] == [[4], [5]]
    it.reset()
    next(it)
    state = it.state_dict()
    it.close()
    again = PrefetchingIter(Countdown(), n=3)
    again.load_state_dict(state)
    assert next(again)[0].tolist() == [2]
    again.close()


@pytest.mark.parametrize("depth", [0, 3])
def test_batches_are_put_on_a_device(engine, depth):
    gpu = ng.gpu(0)
    x = np.arange(60.0).reshape(30, 2)
    its = (
        NDArrayIter(x, x[:, 0], 8, True, device=gpu, prefetch=depth),
        SourceIter(Numbers([15, 15]), 8, shuffle=True, device=gpu, prefetch=depth),
    )
    for it in its:
        plain = content(SourceIter(it.source, 8, shuffle=True))
        batches = list(it)
        assert {a.device for batch in batches for a in batch} == {gpu}
        assert content(batches) == plain


def test_an_iterator_over_a_source_reads_ahead_itself(engine):
    plain = SourceIter(SOURCES["decoded"](), 8, shuffle=True)
    expected = [content(plain) for _ in range(2)]
    it = SourceIter(SOURCES["decoded"](), 8, shuffle=True)
    assert content(itertools.islice(it, 3)) == expected[0][:3]  # it may have begun
    ahead = PrefetchingIter(it, n=3)
    assert content(itertools.islice(ahead, 2)) == expected[0][3:5]
    state = ahead.state_dict()
    assert content(ahead) == expected[0][5:] and content(ahead) == expected[1]
    ahead.load_state_dict(state)
    assert content(ahead) == expected[0][5:]
    assert "prefetch=3" in str(ahead.report())
    ahead.close()
    assert it.source.closed
