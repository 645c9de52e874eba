"""`try` statements: raises of the text, and what Python raises where kernels have inf or NaN."""

# ruff: noqa: SIM105, TRY301, TRY300, TRY002, BLE001, TRY201, RET505, B904, S110, E722 - the subject

import contextlib
import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError


def ratio(x):
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return 7.0


def assigned(x):
    y = 1.0
    try:
        y = 2.0
        y = math.log(x)
    except ValueError as error:
        print(error)  # noqa: T201
        y = y + 10.0
    return y


def with_else(x):
    try:
        root = math.sqrt(x)
    except (ValueError, TypeError):
        result = -1.0
    else:
        result = root + 1.0
    finally:
        scale = 2.0
    return result * scale


def overflows(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf if x > 0 else 0.0


def several(x):
    try:
        if x > 5:
            raise OverflowError("large")
        y = math.sqrt(x) / (x - 1.0)
    except ZeroDivisionError:
        return 100.0
    except ValueError:
        return 200.0
    except ArithmeticError:
        return 300.0
    return y


def inverse(v):
    return 1.0 / v


def by_helper(x):
    try:
        return inverse(x) + inverse(x - 1.0)
    except ZeroDivisionError:
        return 0.0


def everything(x):
    try:
        return math.log(x) / (x - 1.0)
    except Exception:
        return -5.0


def nested(x):
    try:
        try:
            return 1.0 / x
        except ValueError:
            return 1.0
        finally:
            x = x + 1.0
    except ZeroDivisionError:
        return x


def raised_again(x):
    try:
        if x < 0:
            raise ValueError("below 0")
        return math.sqrt(x)
    except ValueError:
        if x > -0.5:
            return 0.0
        raise


def in_a_loop(x):
    total = 0.0
    for k in range(30):
        try:
            total += 1.0 / (x - k)
        except ZeroDivisionError:
            continue
    return total


def powers(x):
    try:
        return x**-2.5
    except ZeroDivisionError:
        return 0.0


def whole(x):
    try:
        return float(int(x))
    except (ValueError, OverflowError):
        return -1.0


def as_array(x):
    try:
        x[x < 0] = 0.0
        total = sum(x)
    except TypeError:
        total = max(x, 0.0)
    return total


def cleared(x):
    x[abs(x) < 1.0] = 0.0
    return x, x


def of_arrays(x):
    """What a number has no part in raises, as Python says: by a helper, an attribute, a loop."""
    y = x
    try:
        y, _ = cleared(x)
    except TypeError:
        y = 2.0 * y
    try:
        return x.mean(axis=0)
    except AttributeError:
        pass
    for read in (lambda v: v[0], len, iter, lambda v: [w for w in v][0]):  # noqa: C416, RUF015
        try:
            read(x)
        except (TypeError, IndexError):
            y = y + 1.0
    return y


def unused(x):
    try:
        math.log(x)
        1.0 / (x - 1.0)
    except ArithmeticError:
        return 2.0
    except ValueError as error:
        return 3.0 if "domain" in str(error) else 4.0
    return 5.0


FUNCTIONS = (
    *(ratio, assigned, with_else, overflows, several, by_helper, everything, nested),
    *(raised_again, in_a_loop, powers, whole, as_array, of_arrays, unused),
)
POINTS = [0.0, 1.0, 2.0, 5.0, 0.25, 6.0, -0.25, 800.0, -800.0, math.inf, math.nan]


@pytest.mark.filterwarnings("ignore:.*print is left out")
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("compiler", ["llvm", "python"])
def test_the_value_is_pythons(fn, compiler):
    op = ng.op(fn)
    x, expected = [], []
    for v in POINTS:
        with contextlib.suppress(ValueError, OverflowError, ZeroDivisionError):
            found = fn(v)
            if isinstance(found, float):
                x.append(v)
                expected.append(found)
    with ng.config(compiler=compiler):
        np.testing.assert_allclose(op(np.array(x)), expected, rtol=1e-13)


def test_what_is_not_caught_ends_the_kernel():
    with pytest.raises(ValueError, match="raised_again: below 0 .element 1, "):
        ng.op(raised_again)(np.array([1.0, -2.0]))


@pytest.mark.parametrize("m", [7, 12])
def test_what_has_no_inverse_is_caught(m):
    def inverse_or_none(n):
        try:
            return pow(n, -1, m)
        except ValueError:
            return -1

    n = np.arange(1, m)
    assert ng.op(inverse_or_none)(n).tolist() == [inverse_or_none(k) for k in n.tolist()]
    with pytest.raises(ValueError, match="not invertible"):
        ng.op(lambda n: pow(n, -3, 12))(np.array([5, 8]))


def test_outside_of_a_try_statement_division_is_numpys():
    assert np.isinf(ng.op(inverse)(np.array([0.0]))).all()


def test_the_derivative_follows_the_branch():
    np.testing.assert_allclose(ng.op(ratio).derivative(0)(np.array([0.5, 2.0])), [-4.0, -0.25])


def hides(x):
    try:
        return 1.0 / x
    finally:
        return 0.0  # noqa: B012, SIM107


@pytest.mark.parametrize(
    ("fn", "problem", "remedy"),
    [
        (hides, "hides an exception", "behind the `try`"),
    ],
)
def test_refusals(fn, problem, remedy):
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    assert problem in str(caught.value) and remedy in str(caught.value)
