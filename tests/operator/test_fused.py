"""Operators in one loop: the results of one after another, bit for bit."""

import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, FusionError
from nbgraph.operator import registry
from nbgraph.operator.backward import backward
from nbgraph.operator.mapper.fused import Part, fuse, precision, typed_parts
from nbgraph.operator.mapper.mapper import Mapper

NAMES = (
    "add subtract multiply divide floor_divide remainder negative absolute maximum where tanh exp "
    "log1p sigmoid relu leaky_relu power square sqrt sin less equal logical_and logical_not "
    "bitwise_xor invert left_shift clip divmod modf sign floor isnan round elu"
)
DTYPES = ("float32", "float32", "float64", "int64", "int32", "uint8", "bool", "float16")
NUMBERS = (2, 0.5, -1.25, 1e-3, True)


def operators(full):
    names = sorted(set(registry.library()) - {"nextafter"}) if full else NAMES.split()
    found = [op for op in map(registry.find, names) if isinstance(op, Mapper)]
    slopes = [backward(registry.find(n)) for n in ("tanh", "multiply", "leaky_relu", "maximum")]
    return [*found, *slopes]


def drawn(rng, dtype, size):
    values = rng.normal(0, 2, size) * rng.choice([0, 1, 1, 1, 30], size)
    values[rng.random(size) < 0.03] = -0.0
    if np.dtype(dtype).kind == "f":
        values[rng.random(size) < 0.03] = np.nan
        values[rng.random(size) < 0.03] = -np.inf
        return values.astype(dtype)
    return np.abs(values).astype(dtype) if dtype == "uint8" else values.astype(dtype)


def fusable(parts, dtypes, numbers=()):
    """Whether one loop gives what these parts give one after another."""
    try:
        typed_parts(parts, dtypes, numbers)
    except FusionError:
        return False
    return True


def grown(rng, ops, values, count):
    """A random program of parts that may share a loop."""
    parts, numbers = [], []
    for _ in range(40 * count):
        op = ops[rng.integers(len(ops))]
        sources = [("in", k) for k in range(len(values))]
        sources += 2 * [("part", i, j) for i, p in enumerate(parts) for j in range(p.op.nout)]
        operands = [sources[rng.integers(len(sources))] for _ in range(op.nin)]
        given = list(numbers)
        if op.nin > 1 and rng.random() < 0.3:
            operands[-1] = ("number", len(given))
            given.append(NUMBERS[rng.integers(len(NUMBERS))])
        part = Part(op, tuple(operands), {"slope": 0.125} if op.__name__ == "leaky_relu" else {})
        used = [v.dtype for v in values]
        try:
            if fusable([*parts, part], used, given):
                parts.append(part)
                numbers = given
        except (TypeError, OverflowError):  # the operator does not take such operands
            continue
        if len(parts) == count:
            break
    return parts, numbers


def one_by_one(parts, arrays, numbers):
    results = []
    for part in parts:
        taken = []
        for source in part.operands:
            if source[0] == "part":
                taken.append(results[source[1]][source[2]])
            else:
                taken.append((arrays if source[0] == "in" else numbers)[source[1]])
        found = part.op(*taken, **part.parameters)
        results.append(found if isinstance(found, tuple) else (found,))
    return results


def assert_same_bits(got, wanted):
    assert got.dtype == wanted.dtype
    if got.dtype.kind == "f":
        np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
        got, wanted = (np.where(np.isnan(a), a.dtype.type(0), a) for a in (got, wanted))
    assert got.tobytes() == wanted.tobytes()


SEEDS = [pytest.param(n, marks=() if n < 8 else pytest.mark.slow) for n in range(40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_have_the_bits_of_one_operator_after_another(seed, full):
    """X-SYM-05: operators fused into one loop give the very same numbers."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(DTYPES, 3)
    arrays = [drawn(rng, dtype, 203) for dtype in kinds]
    parts, numbers = grown(rng, operators(full), arrays, 9)
    assert len(parts) >= 4
    outputs = [(i, j) for i, p in enumerate(parts) for j in range(p.op.nout)]
    taken = [s for p in parts for s in p.operands if s[0] == "part"]
    outputs = [o for o in outputs if ("part", *o) not in taken or rng.random() < 0.3]
    op, parameters = fuse("program", parts, outputs)
    got = op(*arrays[: op.inputs], *numbers, **parameters)
    results = one_by_one(parts, arrays, numbers)
    for value, (i, j) in zip(got if isinstance(got, tuple) else (got,), outputs, strict=True):
        assert_same_bits(value, results[i][j])


add, multiply, exp = (registry.find(name) for name in ("add", "multiply", "exp"))
SUM_OF_SQUARES = [
    Part(multiply, (("in", 0), ("in", 0))),
    Part(add, (("part", 0, 0), ("number", 0))),
    Part(exp, (("in", 0),)),
]


def test_equal_parts_are_one_operator_and_names_do_not_matter():
    """X-SYM-05: what was fused once is found again, and its kernel whatever it is called."""
    first, _ = fuse("first", SUM_OF_SQUARES, [(1, 0), (2, 0)])
    assert fuse("first", list(SUM_OF_SQUARES), [(1, 0), (2, 0)])[0] is first
    second, _ = fuse("second", SUM_OF_SQUARES, [(1, 0), (2, 0)])
    x = np.float32([1, 2])
    texts = set()
    for op in (first, second):
        np.testing.assert_array_equal(op(x, 1.0)[0], x * x + 1)
        plan = op.invoker.plan_of([x.dtype, 1.0], {})
        texts |= {kernel.key for kernel in plan.kernels.values()}
    assert len(texts) == 1


def test_a_fused_operator_travels_with_its_parts():
    """X-SYM-05: pickled by what it is made of."""
    op, _ = fuse("travels", SUM_OF_SQUARES[:2], [(1, 0), (0, 0)])
    other = pickle.loads(pickle.dumps(op))
    np.testing.assert_array_equal(other(np.float32([1, 2]), 1.0), [[2, 5], [1, 4]])


def test_equal_expressions_of_several_parts_are_computed_once():
    """X-SYM-05: a value that two parts compute is one value in the loop."""
    parts = [
        Part(exp, (("in", 0),)),
        Part(exp, (("in", 0),)),
        Part(add, (("part", 0, 0), ("part", 1, 0))),
    ]
    op, _ = fuse("twice", parts, [(2, 0)])
    captured = op.scalar.capture(["f"], {})
    nodes = captured.graph.reachable(captured.outputs)
    assert sum(node.op == "call" for node in nodes) == 1


def test_what_would_be_rounded_in_memory_is_refused():
    """X-SYM-05: 16-bit floats and two precisions do not share a loop; bools and integers do."""
    parts = SUM_OF_SQUARES[:2]
    assert not fusable(parts, [np.dtype("float16")], [1.0])
    op, _ = fuse("half", parts, [(1, 0)])
    with pytest.raises(FusionError, match=r"part 1 \(add\) reads float16 of part 0"):
        op(np.float16([1]), 1.0)
    alone, _ = fuse("alone", SUM_OF_SQUARES[::2], [(0, 0), (1, 0)])
    np.testing.assert_array_equal(alone(np.float16([3]))[0], np.float16([9]))
    mixed = [Part(exp, (("in", 0),)), Part(exp, (("in", 1),))]
    with pytest.raises(FusionError, match="computes in float64, others in float32"):
        fuse("mixed", mixed, [(0, 0), (1, 0)])[0](np.float32([1]), np.float64([1]))
    assert precision(registry.find("less"), [np.dtype("int8"), 3], {})[0] is None


def test_a_number_is_weak_beside_each_operand():
    """X-SYM-05: a Python number takes the dtype it would take alone, or the loop is refused."""
    parts = [Part(add, (("in", 0), ("number", 0))), Part(multiply, (("in", 1), ("number", 1)))]
    op, _ = fuse("weak", parts, [(0, 0), (1, 0)])
    small, single = op(np.int8([1]), np.float32([2]), 3, 0.1)
    assert (small.dtype, single.dtype) == (np.int8, np.float32)
    for got in op(ng.array(np.int8([1])), ng.array(np.float32([2])), 3, 0.1):
        assert got.dtype in (small.dtype, single.dtype)
    shared = [Part(add, (("in", k), ("number", 0))) for k in range(2)]
    assert not fusable(shared, [np.dtype("int8"), np.dtype("int64")], [3])


def helper(x):
    return x + 1


@ng.op
def scaled(x, *, s=2.0):
    return helper(x) * s


def less_one(x):
    return x - 1


def test_parameters_are_renamed_and_a_changed_helper_is_followed(monkeypatch):
    """X-SYM-05: each part has its own parameters; a redefined helper counts at the next call."""
    parts = [Part(scaled, (("in", 0),)), Part(scaled, (("part", 0, 0),), {"s": 3})]
    op, parameters = fuse("scaled", parts, [(1, 0)])
    assert parameters == {"p0_s": 2.0, "p1_s": 3.0}
    assert op(1.0, **parameters) == 15.0
    monkeypatch.setitem(globals(), "helper", less_one)
    assert op(1.0, **parameters) == -3.0


@pytest.mark.parametrize(
    ("parts", "outputs", "told"),
    [
        ([Part(add, (("in", 0),))], [(0, 0)], "1 operand"),
        ([Part(exp, (("part", 0, 0),))], [(0, 0)], "parts may read outputs of the 0 parts"),
        ([Part(exp, (("in", 0),))], [], "at least one"),
        ([Part(exp, (("in", 0),))], [(0, 1)], "pairs of the 1 parts"),
    ],
)
def test_parts_that_do_not_exist_are_named(parts, outputs, told):
    """X-SYM-05: what parts refer to must be there."""
    with pytest.raises(ArgumentError, match=told):
        fuse("wrong", parts, outputs)
