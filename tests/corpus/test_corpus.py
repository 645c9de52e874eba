"""Every function of the corpus is captured, and gives what plain Python gives, wherever it runs."""

import collections
import functools
import math
import warnings

import numpy as np
import pytest

import nbgraph as ng
from tests import worlds
from tests.corpus import plain
from tests.corpus.samples import TAGS
from tests.corpus.table import ROWS

pytestmark = pytest.mark.filterwarnings("ignore:.*print is left out")

DTYPES = (np.float64, np.float32)


def suited(test, rows):
    """The rows that a test can take."""
    if test == "test_slopes":
        return [row for row in rows if row.wrt and "random" not in row.tags]
    if test == "test_code_for_gpus":
        floats = [row for row in rows if not row.options and not row.decorated]
        return [r for r in floats if all(isinstance(low, float) for low, _ in r.ranges.values())]
    return rows


@functools.cache
def operator(row_id):
    row = next(row for row in ROWS if row.id == row_id)
    return ng.op(row.fn, **row.decorated)


def options(row):
    """Of a call: what draws does it by one key, here and in the text itself."""
    return {**row.options, "key": 5} if "random" in row.tags else row.options


def call(row, columns):
    return plain.outputs(operator(row.id)(*columns, **options(row)))


def kinds(row):
    return ["int64" if isinstance(low, int) else "f" for low, _ in row.ranges.values()]


def near(got, wanted, bound):
    got, wanted = float(got), float(wanted)
    if math.isnan(wanted) or math.isnan(got):
        return math.isnan(wanted) and (math.isnan(got) or bound == math.inf)
    return got == wanted or abs(got - wanted) <= bound


def test_every_function_is_captured():
    """The count is of native kernels: nothing here runs the text element by element."""
    refused = {}
    for row in ROWS:
        try:
            operator(row.id).form(row.options)
        except ng.errors.NbgraphError as problem:
            refused[row.id] = str(problem)
    assert refused == {}


def test_the_table_spans_what_people_write():
    assert len(ROWS) >= 180
    assert len({row.id for row in ROWS}) == len(ROWS)
    used = collections.Counter(tag for row in ROWS for tag in row.tags)
    assert used.keys() == TAGS


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(row, dtype):
    """Against the text on Python's numbers, at drawn points and at the ends of the ranges."""
    columns = plain.points(row, 12, dtype=dtype)
    got = call(row, columns)
    if "int64" not in kinds(row):  # which make float64 of float32, as in NumPy
        assert all(g.dtype == dtype for g in got if g.dtype.kind == "f")
    for index, point in enumerate(zip(*(c.tolist() for c in columns))):
        wanted = plain.at(row, point)
        if wanted is None:  # the text raises: see test_the_text_itself_agrees
            continue
        bounds = plain.slack(row, point, wanted, np.finfo(dtype).eps)
        assert len(got) == len(wanted)
        for g, w, bound in zip(got, wanted, bounds):
            assert near(g[index], w, bound), (point, g[index], w, bound)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_text_itself_agrees(row, dtype):
    """Element by element in NumPy's numbers: dtypes, and what a raise, 1 / 0 and log(0) become."""
    columns = plain.points(row, 4, seed=1, dtype=dtype)
    got = call(row, columns)
    with ng.config(compiler="python"):
        text = call(row, columns)
    eps = np.finfo(dtype).eps
    for index, point in enumerate(zip(*(c.tolist() for c in columns))):
        wanted = plain.at(row, point)
        for k, (g, t) in enumerate(zip(got, text)):
            assert g.dtype == t.dtype
            if wanted is None:
                assert np.isclose(g[index], t[index], rtol=1e3 * eps, equal_nan=True), point
            else:
                bound = 2 * plain.slack(row, point, wanted, eps)[k]
                assert near(g[index], t[index], bound), (point, g[index], t[index])


@pytest.mark.everyday(1 / 2)
def test_slopes(row):
    """By each float operand, against differences of the text away from kinks and jumps."""
    columns = plain.points(row, 6, seed=2, smooth=True)
    compared = 0
    for wrt in row.wrt:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ng.errors.DerivativeWarning)
            derivative = operator(row.id).derivative(wrt)
            got = plain.outputs(derivative(*columns, **row.options))
        for index, point in enumerate(zip(*(c.tolist() for c in columns))):
            wanted = plain.slopes(row, point, wrt) or [None] * len(got)
            for g, w in zip(got, wanted):
                if w is None:
                    continue
                compared += 1
                size = max(abs(w), row.size * 1e-3, 1e-6)
                assert abs(g[index] - w) <= 2e-5 * size, (wrt, point, g[index], w)
    assert compared, "no point is away from kinks"


@pytest.mark.everyday(1 / 2)
def test_other_worlds_give_the_same_bits(row):
    columns = plain.points(row, 5, seed=3, dtype=np.float32)
    f = lambda *arrays: operator(row.id)(*arrays, **options(row))
    wanted = worlds.bits(worlds.numpy(f, *columns))
    for world in (worlds.ndarrays, worlds.jit, worlds.bound):
        assert worlds.bits(world(f, *columns)) == wanted, world.__name__


def test_both_compilers_agree(row):
    columns = plain.points(row, 5, seed=4)
    wanted = call(row, columns)
    with ng.config(compiler="numba"):
        for got, value in zip(call(row, columns), wanted):
            np.testing.assert_array_equal(got, value)


def test_code_for_gpus(row):
    assert ".entry" in operator(row.id).ptx("float32")
