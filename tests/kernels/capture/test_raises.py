"""What a text raises for bad arguments, by `raise` and `assert`, in every world."""

# ruff: noqa: UP031, S301 - older forms of text; a pickle of our own

import contextlib
import math
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError, ElementError
from nbgraph.kernels.compiler import simd
from tests import worlds
from tests.array.gpu import GPU


def checked_root(x, *, least=0.0):
    if x < least:
        raise ValueError(f"x must be positive, got {x}")
    return math.sqrt(x) + 1.0


def requires(p):
    assert 0 <= p <= 1, "no probability"
    return p


def by_helper(x):
    return 2.0 * requires(x)


def where_needed(x):
    return requires(x) if x > -2 else 0.0


def in_a_loop(x):
    total = 0.0
    k = 0
    while k < x:
        if k > 3:
            raise OverflowError("more than 3")
        total += k * x
        k += 1
    return total


def in_a_unrolled_loop(x):
    total = x
    for k in (1.0, 2.0, 3.0):
        if total > 5:
            raise ValueError("too large at %g" % k)
        total += k
    return total


def in_the_test_of_a_loop(x):
    while requires(x) < 0.75:
        x = x + 0.5 * (1 - x)
    return x


def exhaustive(x):
    if x > 0:
        return x
    elif x <= 0:
        return -x
    else:
        raise ValueError("not a number")


def after_returns(x):
    if x > 2:
        if x > 3:
            raise ValueError("beyond 3")
        return 1.0 * x
    return 2.0 * x
    raise AssertionError("not reached")


def several(x):
    if x > 5:
        raise OverflowError
    if x < 0:
        raise ZeroDivisionError("below %d" % 0)
    return x, x + 1


def with_a_loop_behind(x):
    if x <= 0:
        raise ValueError("not positive")
    r = x
    while r > 1e-3:
        r = r * x / (1 + x)
    return r


FUNCTIONS = {  # the function -> elements that are well, one that is not, a part of what is said
    checked_root: ([0.0, 1.0, 4.0], -1.0, "x must be positive, got "),
    by_helper: ([0.0, 0.5, 1.0], 1.5, "no probability"),
    where_needed: ([0.0, 0.5, -3.0], -1.5, "no probability"),
    in_a_loop: ([0.5, 1.0, 3.5], 6.0, "more than 3"),
    in_a_unrolled_loop: ([-5.0, 1.0], 4.0, "too large at 3"),
    in_the_test_of_a_loop: ([0.0, 0.5, 0.9], -0.25, "no probability"),
    exhaustive: ([1.0, 0.0, -3.0], math.nan, "not a number"),
    after_returns: ([1.0, 2.5, 0.0], 3.5, "beyond 3"),
    with_a_loop_behind: ([1.0, 2.5, 0.5], -2.0, "not positive"),
}


def told(error, fn, element):
    place = f"(element {element}, " if element is not None else "("
    return f"{fn.__name__}: " in str(error) and place in str(error)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("compiler", ["llvm", "python"])
def test_an_element_that_the_text_raises_for(fn, compiler):
    well, bad, message = FUNCTIONS[fn]
    op = ng.op(fn)
    with ng.config(compiler=compiler):
        np.testing.assert_allclose(op(np.array(well)), [fn(v) for v in well], rtol=1e-12)
        with pytest.raises(Exception) as raw:
            fn(bad)
        with pytest.raises(type(raw.value)) as caught:
            op(np.array([*well, bad, well[0]]))
    if compiler == "python":
        assert f"element {len(well)}" in caught.value.__notes__[0]
    else:
        assert isinstance(caught.value, ElementError)
        assert message in str(caught.value)
        assert "raised at test_raises.py:" in str(caught.value)
        assert told(caught.value, fn, len(well)), caught.value


ENDS = {"map": lambda y: y * 2, "sum": ng.sum}
CASES = [(w, "map") for w in (*worlds.WORLDS, worlds.expressions)]
CASES += [(w, "sum") for w in (worlds.numpy, worlds.ndarrays, worlds.bound, worlds.jit)]


@pytest.mark.parametrize(("world", "end"), CASES, ids=[f"{w.__name__}-{e}" for w, e in CASES])
def test_every_world_raises(world, end):
    op, end = ng.op(checked_root), ENDS[end]
    x = np.array([[1.0, 4.0], [-9.0, 16.0]])

    def values(result):
        return [np.asarray(r) for r in (result if isinstance(result, (list, tuple)) else [result])]

    well = values(world(lambda a: end(op(a)), np.abs(x)))
    np.testing.assert_allclose(well[0], end(np.sqrt(np.abs(x)) + 1.0))
    fused_sum = end is ng.sum and world in (worlds.bound, worlds.jit)
    with pytest.raises(ValueError, match="x must be") as caught:
        values(world(lambda a: end(op(a)), x))
    assert told(caught.value, checked_root, None if fused_sum else 2)
    with contextlib.suppress(ValueError):
        ng.waitall()


def test_on_a_gpu():
    op = ng.op(checked_root)
    x = ng.array(np.float32([1.0, 4.0, 9.0]), device=GPU)
    np.testing.assert_allclose(op(x).asnumpy(), [2.0, 3.0, 4.0])
    for end in (lambda y: y, ng.sum):
        with pytest.raises(ValueError, match="x must be"):
            end(op(ng.array(np.float32([1.0, -4.0, 9.0]), device=GPU))).asnumpy()
        with contextlib.suppress(ValueError):
            ng.waitall()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("form", ["in place", "transposed", "strided", "row by row", "long"])
def test_the_element_in_every_layout(dtype, form):
    op = ng.op(checked_root)
    x = np.ones((70, 60), dtype)
    if form == "long":
        x = np.ones((300, 1000), dtype)
    x[7, 5] = -1
    args, out = {
        "in place": ((x,), x),
        "transposed": ((x.T.copy().T,), None),
        "strided": ((x[:, ::5],), None),
        "row by row": ((np.where(x < 0, -1, x)[:, :50],), None),
        "long": ((x,), None),
    }[form]
    flat = np.flatnonzero(args[0].ravel() < 0)[0]
    before = args[0].copy()
    for _ in range(3):
        with pytest.raises(ValueError, match="x must be") as caught:
            op(*args, out=out)
        known = flat if form != "transposed" else None
        assert told(caught.value, checked_root, known), caught.value
        if out is not None:
            np.testing.assert_array_equal(out, before)


def test_nan_instead():
    op = ng.op(checked_root, on_invalid="nan")
    x = np.array([1.0, -1.0, 4.0])
    for compiler in ("llvm", "python"):
        with ng.config(compiler=compiler):
            np.testing.assert_array_equal(op(x), [2.0, math.nan, 3.0])
    np.testing.assert_array_equal(ng.op(lambda v: op(v) + 1)(x), [3.0, math.nan, 4.0])
    whole = ng.op(requires, on_invalid="nan")
    np.testing.assert_array_equal(whole(x), [1.0, math.nan, math.nan])
    with pytest.raises(CaptureError, match="on_invalid='nan'.*not a floating value"):
        whole(np.array([1, 2]))
    again = pickle.loads(pickle.dumps(op))
    np.testing.assert_array_equal(again(x), [2.0, math.nan, 3.0])
    with pytest.raises(ValueError, match="on_invalid='zero'; expected 'raise' or 'nan'"):
        ng.op(requires, on_invalid="zero")


def test_several_results_and_raises():
    op = ng.op(several)
    np.testing.assert_array_equal(op(np.array([1.0, 2.0])), [[1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(OverflowError, match="several: OverflowError .element 1, "):
        op(np.array([1.0, 6.0]))
    with pytest.raises(ZeroDivisionError, match="several: below 0 .element 0, "):
        op(np.array([-1.0, 6.0]))


def test_what_certainly_does_not_happen_costs_nothing():
    """Conditions that are constant leave no check; nor do the text's own checks stop vectors."""

    def dead(x):
        if math.pi < 3:
            raise ValueError("pi")
        return x * x

    plain = ng.op(dead)
    assert plain._probe.graph.raises == []
    op = ng.op(checked_root)
    x = np.ones(10, np.float32)
    op(x)
    (plan,) = op.invoker._plans.values()
    for code in plan.kernels.values():
        assert simd.of(code).vectorised


def test_derivatives_need_no_second_error():
    op = ng.op(checked_root)
    np.testing.assert_allclose(op.derivative(0)(np.array([1.0, 4.0])), [0.5, 0.25])
    assert not any(n.op == "check" for n in op.derivative(0)._probe.outputs)
    x = ng.array([1.0, -4.0])
    x.attach_grad()
    with ng.autograd.record():
        y = op(x)
    with pytest.raises(ValueError, match="x must be"):
        y.backward()
        x.grad.asnumpy()
    with contextlib.suppress(ValueError):
        ng.waitall()


def test_trigonometry_of_huge_arguments_is_not_raised_for():
    """Vectors reduce moderate arguments only; what they find of huge ones is looked at again."""

    def bounded(x):
        s = math.sin(x)
        if abs(s) > 1:
            raise ValueError("beyond 1")
        return s

    op = ng.op(bounded)
    x = np.array([1.0, 1e30, 1e300])
    np.testing.assert_allclose(op(x), np.sin(x), rtol=1e-15)


def test_an_exception_of_its_own_class_and_pickles():
    class Bad(ArithmeticError):
        pass

    def own(x):
        if x < 0:
            raise Bad("below", 0)
        return x

    with pytest.raises(ArithmeticError, match="own: Bad: below, 0") as caught:
        ng.op(own)(-1.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)


def test_a_function_that_always_raises_is_refused():
    def never(x):
        raise NotImplementedError("later")

    with pytest.raises(CaptureError, match="always raises"):
        ng.op(never)


def test_an_exception_in_place_of_a_number_is_raised_for_its_elements():
    def effused(m):
        return math.sqrt(2.0 / m) if m > 0 else ValueError("a mass must be positive")

    op = ng.op(effused)
    np.testing.assert_allclose(op(np.array([0.5, 2.0])), [2.0, 1.0])
    with pytest.raises(ValueError, match=r"effused: a mass must be positive \(element 1"):
        op(np.array([0.5, -2.0]))
