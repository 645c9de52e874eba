"""Words that kernels of tests work on, and what serial execution makes of them."""

import numpy as np

from nbgraph.engine.native_call import NativeCall
from tests.engine.kernels import address


class World:
    """Words that kernels of `step` work on, and what serial execution makes of them."""

    def __init__(self, steps, places):
        self.values = np.zeros(places, np.int64)
        self.writers = np.zeros(places, np.int64)
        self.saw = np.full((steps, 4), -1, np.int64)
        self.ran = np.zeros(steps, np.int64)
        self.clashes = np.zeros(1, np.int64)
        self.kept = []
        self.expected_values = {}
        self.expected_saw = {}
        self.failures = {}  # by place: (order, name)

    def codes(self, codes):
        """Numbers of the runs of a kernel, as it takes them one by one."""
        words = np.array([8, *codes], np.int64)  # offset of the next code, codes
        self.kept.append(words)
        return words

    def call(self, codes, reads, writes, cost=0):
        """A kernel that takes its number from a list, one for every run of it."""
        words = codes if isinstance(codes, np.ndarray) else self.codes(codes)
        arrays = (self.values, self.writers, self.saw, self.ran, self.clashes)
        record = [a.ctypes.data for a in arrays]
        record += [words.ctypes.data, 0, len(reads), len(writes), *reads, *writes]
        name = f"step {words[1] >> 1}"
        return NativeCall(address("step"), record, 1, name=name, cost=cost)

    def serially(self, codes, order, name, reads, writes, clears=False):
        """What one step does when all before it is done; a run that is skipped takes no code."""
        met = reads if clears else (*reads, *writes)
        found = [self.failures[p] for p in met if p in self.failures]
        failure = min(found, default=None)
        if failure is None:
            code = codes.pop(0)
            number = code >> 1
            self.expected_saw[number] = [self.expected_values.get(p, 0) for p in reads]
            if code & 1:
                failure = order, name
            else:
                self.expected_values.update(dict.fromkeys(writes, number + 1))
        for place in writes:
            self.failures.pop(place, None)
            if failure is not None:
                self.failures[place] = failure

    def check(self):
        assert self.clashes[0] == 0
        ran = {i for i, count in enumerate(self.ran) if count}
        assert ran == set(self.expected_saw)
        assert self.ran.max(initial=0) <= 1
        for number, saw in self.expected_saw.items():
            assert list(self.saw[number][: len(saw)]) == saw, f"step {number}"
