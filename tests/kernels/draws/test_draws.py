"""Random numbers by kernels: NumPy's Philox, bit for bit, on the host and as threads of a grid."""

import re

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.kernels.compiler.written import source, written
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda import machine
from nbgraph.kernels.cuda.unit import drawing
from nbgraph.kernels.draws import attempts, quantiles, ranges
from nbgraph.kernels.draws import uniform as draws
from nbgraph.operator.kernel_call import scalar_word
from nbgraph.resource.random import Draw
from tests.kernels.cuda.hosts import loaded

FLOATS = ["float32", "float64", "float16", "bfloat16"]
WORDS = st.integers(0, 2**64 - 1)


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


@st.composite
def drawn(draw):
    """A draw, and how many numbers of it."""
    key = np.array([draw(WORDS), draw(WORDS)], np.uint64)
    count = draw(st.sampled_from([0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 63, 2047, 2048, 2049, 5000]))
    return Draw(key, draw(st.integers(0, 2**40))), count


def number(value, compute):
    return scalar_word(value, "f", compute)


def words(d, one, arrays, parameters, mode=()):
    """The record of a kernel over these arrays."""
    count = arrays[-1].size
    blocks = -(-count // d.block)
    draw = [scalar_word(int(w), "i", "") for w in (*one.key, one.number)]
    return np.array(
        [count, blocks, *(a.ctypes.data for a in arrays), *parameters, *draw, *mode], np.int64
    )


def on_host(d, record, count):
    written(d.name, draws.host_text(d), d.compute).run(record, 0, -(-count // d.tile))


def as_grid(d, record, count, *, vectors):
    """One thread of a small grid after another."""
    text = draws.device_text(d, vectors=vectors)
    run = loaded(compiled.host_text(source(d.name, text, d.compute)), d.name)
    for start in reversed(range(3)):
        assert run(record.ctypes.data, start, 3) == 0


WAYS = {
    "host": on_host,
    "grid": lambda *a: as_grid(*a, vectors=False),
    "vectors": lambda *a: as_grid(*a, vectors=True),
}


def aligned(count, dtype):
    """Memory at a multiple of 16, with something in it."""
    held = np.full(count * dtype.itemsize + 16, 0xDB, np.uint8)
    first = -held.ctypes.data % 16
    return held[first : first + count * dtype.itemsize].view(dtype)


def bits(a):
    return a.tobytes()


def assert_equal(found, wanted):
    """Equal in value, NaN included, which bfloat16 itself does not compare."""
    np.testing.assert_array_equal(found.astype(float), wanted.astype(float))


@pytest.mark.parametrize("way", WAYS)
@given(drawn(), st.sampled_from(FLOATS), st.sampled_from([(1, 0), (0.1, -3.7)]))
def test_uniform_numbers_are_those_of_numpy(way, asked, name, moved):
    """X-NDA-08: all keys, numbers, counts and dtypes, by every form of the kernel."""
    (one, count), (scale, loc), dtype = asked, moved, dtype_of(name)
    d = draws.uniform(name)
    out = aligned(count, dtype)
    parameters = number(scale, d.compute), number(loc, d.compute)
    WAYS[way](d, words(d, one, [out], parameters), count)
    wanted = np.empty(count, d.compute)
    one.generator().random(out=wanted, dtype=wanted.dtype.type)
    if name in ("float16", "bfloat16"):
        cut = 2.0 ** {"float16": 11, "bfloat16": 8}[name]
        wanted = np.floor(wanted * cut) / cut
    wanted = (wanted * wanted.dtype.type(scale) + wanted.dtype.type(loc)).astype(dtype)
    assert bits(out) == bits(wanted)


@pytest.mark.parametrize("way", WAYS)
@given(drawn(), st.sampled_from(["bool", "int64", "uint8", *FLOATS]), st.floats(0, 1))
def test_bernoulli(way, asked, name, p):
    (one, count), dtype = asked, dtype_of(name)
    d = draws.bernoulli(name)
    out = aligned(count, dtype)
    WAYS[way](d, words(d, one, [out], [draws.limit(p, "float64")]), count)
    assert bits(out) == bits((one.generator().random(count) < p).astype(dtype))


@pytest.mark.parametrize("way", WAYS)
@given(
    drawn(), st.sampled_from(FLOATS), st.sampled_from([0.0, 1e-9, 0.3, 0.5, 1 - 1e-12, 1.0]),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_dropout(way, asked, name, p, factor, training):
    """In training as NumPy drops, else nothing; the factors where they are wanted."""
    (one, count), dtype = asked, dtype_of(name)
    d = draws.dropout(name, factor=factor)
    x = aligned(count, dtype)
    x[...] = np.linspace(-3, 3, count)
    x[::7] = np.inf
    made = [aligned(count, dtype) for _ in range(1 + factor)]
    with np.errstate(over="ignore"):
        keep = np.float64(1 / (1 - p) if p < 1 else 0).astype(dtype)
    parameters = draws.limit(p, d.compute), number(keep, d.compute)
    WAYS[way](d, words(d, one, [x, *made], parameters, [int(training)]), count)
    wanted = np.ones(count, dtype)
    if training:
        kept = one.generator().random(count, np.dtype(d.compute).type) >= p
        wanted = np.where(kept, keep, dtype.type(0))
    with np.errstate(invalid="ignore"):
        assert_equal(made[0], x * wanted)
    if factor:
        assert_equal(made[1], wanted)


@pytest.mark.parametrize("way", WAYS)
@given(drawn(), st.sampled_from(FLOATS), st.booleans())
def test_rrelu(way, asked, name, training):
    (one, count), dtype = asked, dtype_of(name)
    d = draws.rrelu(name)
    x = aligned(count, dtype)
    x[...] = np.linspace(-3, 3, count)
    out, factor = aligned(count, dtype), aligned(count, dtype)
    low, high = 0.125, 0.4
    slope = (low + high) / 2
    parameters = [number(v, d.compute) for v in (high - low, low, dtype.type(slope))]
    WAYS[way](d, words(d, one, [x, out, factor], parameters, [int(training)]), count)
    if training:
        slope = low + (high - low) * one.generator().random(count, np.dtype(d.compute).type)
    wanted = np.where(x > 0, 1, slope).astype(dtype)
    assert_equal(factor, wanted)
    assert_equal(out, x * wanted)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_the_reference_compiler_makes_the_same(name):
    d, one = draws.dropout(name), Draw(np.array([5, 2**64 - 1], np.uint64), 9)
    x = np.linspace(-1, 1, 3001).astype(name)
    found = []
    for compiler in ("llvm", "numba"):
        made = [np.empty_like(x) for _ in range(2)]
        parameters = draws.limit(0.3, d.compute), number(1 / 0.7, d.compute)
        with ng.config(compiler=compiler):
            on_host(d, words(d, one, [x, *made], parameters, [1]), x.size)
        found.append([bits(a) for a in made])
    assert found[0] == found[1]


@given(st.floats(0, 1), st.sampled_from(["float32", "float64"]), st.integers(-2, 2))
def test_limits_compare_as_numbers_do(p, compute, off):
    """About the limit the comparison of integers is that of numbers, and NumPy's."""
    width = {"float32": 24, "float64": 53}[compute]
    n = min(max(draws.limit(p, compute) + off, 0), 2**width - 1)
    value = np.array([n * 2.0**-width], compute)
    assert (value >= p)[0] == (n >= draws.limit(p, compute))


@pytest.mark.parametrize(
    "d",
    [draws.uniform("float32"), draws.bernoulli("bool"), draws.dropout("float16"),
     draws.dropout("float64"), draws.rrelu("float32", factor=False),
     quantiles.standard("normal", "float32"), attempts.gamma("float64"), attempts.many("int64"),
     ranges.integers("int32", 7)],
    ids=lambda d: f"{d.name} {d.compute}",
)  # fmt: skip
def test_what_threads_of_a_gpu_run(d):
    """SMP-24: no stack, no spills, products of 128 bits by instructions, vectors where they fit."""
    *codes, _ = drawing(d, 1000)
    texts = [code.ptx((9, 0)) for code in codes]
    for text in texts:
        assert text.count("mul.hi.u64") >= 16 and ".extern" not in text
        assert ".f64" not in text or d.compute == "float64"
        if machine.library() is not None:
            facts = machine.facts(text, (9, 0))
            assert facts.stack == facts.spills == 0 and facts.registers <= (
                160 if d.form == "own" else 80
            )
    wide = d.name != "bernoulli" and d.form != "own"  # a block of truths is a word
    assert [bool(re.search(r"st\.global\.v\d", text)) for text in texts] == [False, wide]
