"""Random programs over views that overlap anyhow, results over arrays and operands of NumPy,
against NumPy, on several threads at once."""

import random
import threading

import numpy as np
import pytest

import nbgraph as ng

PARTS = [  # of one length each
    [np.s_[:], np.s_[::-1]],
    [np.s_[1:], np.s_[:-1], np.s_[-2::-1], np.s_[:0:-1]],
    [np.s_[::2], np.s_[1::2], np.s_[:3], np.s_[3:], np.s_[2:5]],
]
PAIRS = [(getattr(np, name), getattr(ng, name)) for name in ("add", "subtract", "maximum")]


class Program:
    """Arrays of NumPy, and ours with the same values; each step does the same to both."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.known = [rng.normal(size=(6, 6)).astype("float32") for _ in range(3)]
        self.ours = [ng.array(x) for x in self.known]

    def parts(self, lengths):
        k, key = self.random.randrange(3), tuple(map(self.random.choice, lengths))
        return self.known[k][key], self.ours[k][key]

    def step(self):
        lengths = self.random.choices(PARTS, k=2)
        (x, a), (y, b), (z, c) = (self.parts(lengths) for _ in range(3))
        of_numpy, of_ours = self.random.choice(PAIRS)
        match self.random.randrange(8):
            case 0:
                of_numpy(x, y, out=z)
                of_ours(a, b, out=c)
            case 1:
                x += y
                a += b
            case 2:
                x -= 1.5
                a -= 1.5
            case 3:
                x[...] = y
                a[...] = b
            case 4:
                x[0] = 2
                a[0] = 2
            case 5:
                same((of_ours(a, b), of_numpy(x, y)), (a * y.copy(), x * y), (x.copy() - b, x - y))
            case 6:
                axis = self.random.choice([0, 1, None])
                np.testing.assert_allclose(a.sum(axis).asnumpy(), x.sum(axis), 1e-4, 1e-4)
                np.testing.assert_allclose((a @ b.T).asnumpy(), x @ y.T, 1e-4, 1e-4)
            case 7:
                w = ng.array(x)
                w.attach_grad()
                with ng.autograd.record():
                    (ng.square(w) * b).sum().backward()
                np.testing.assert_allclose(w.grad.asnumpy(), 2 * x * y, 1e-5)

    def run(self, steps):
        for n in range(steps):
            self.step()
            if n % 20 == 19:
                same(*zip(self.ours, self.known, strict=True))
                for x, a in zip(self.known, self.ours, strict=True):
                    np.clip(x, -3, 3, out=x)
                    ng.clip(a, -3, 3, out=a)


def same(*pairs):
    for ours, known in pairs:
        np.testing.assert_array_equal(ours.asnumpy(), known)


@pytest.mark.parametrize("threads", [1, 4])
def test_writes_and_views_agree_with_numpy(threaded, threads, full):
    """X-NDA-04: whichever way a call goes, quick or general."""
    programs = [Program(seed) for seed in range(threads)]
    failures = []

    def run(program):
        try:
            program.run(4000 if full else 400)
        except BaseException as error:
            failures.append(error)

    started = [threading.Thread(target=run, args=(program,)) for program in programs]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    if failures:
        raise failures[0]
