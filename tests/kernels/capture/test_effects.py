"""Statements whose value nobody uses: reports, validators; and None as a value."""

# ruff: noqa: T201, PLW0602, PLW0603, PLC0415, F821, F841, B018, LOG015, RET501, RET502, RET503 - their subject

import logging
import math
import sys
import warnings

import numpy as np
import pytest

import nbgraph as ng

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.filterwarnings("ignore:.*print is left out")


def reports(x):
    """A docstring."""
    print("x =", x, file=sys.stderr)
    logger.warning("x is %s", x)
    logging.debug("x")
    if x > 2:
        warnings.warn("large", stacklevel=2)
    sys.stdout.write(f"{x}")
    return 2.0 * x


def validate(x, name="x"):
    if x < 0:
        raise ValueError(f"{name} is negative")


def validates(x):
    validate(x, name="length")
    assert x < 100
    return math.sqrt(x)


def prints_only(x):
    print(f"{x:.3f}".center(20))


def reports_by_helper(x):
    prints_only(x)
    return x + 1.0


def debugs(x):
    if __debug__:
        z = 1.0
    return x + z


def nothing_below_zero(x):
    if x < 0:
        return
    return x


def endless(x):
    while True:
        x = x / 2
        if x < 1e-3:
            return x
        if x > 1e6:
            raise OverflowError("too large")


def exits(x):
    if x > 100:
        sys.exit("too large")
    return x


def uses_nothing(x):
    nothing_below_zero(x)
    return x * 2


FUNCTIONS = (
    *(reports, validates, reports_by_helper, debugs),
    *(endless, exits, uses_nothing),
)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("compiler", ["llvm", "python"])
def test_the_value_is_pythons(fn, compiler, capsys):
    op = ng.op(fn)
    x = np.array([0.5, 1.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [fn(v) for v in x.tolist()]
        capsys.readouterr()
        with ng.config(compiler=compiler):
            np.testing.assert_allclose(op(x), expected, rtol=1e-14)
    said = capsys.readouterr()
    assert ("x =" in said.err) == (fn is reports and compiler == "python")


def test_what_is_left_out_is_noted():
    notes = ng.op(reports).explain().notes
    assert sum(note.startswith("left out of kernels: ") for note in notes) == 5
    assert any("print('x =', x" in note and "test_effects.py:" in note for note in notes)
    assert ng.op(validates).explain().notes == []
    assert len(ng.op(reports_by_helper).explain().notes) == 1


def test_a_print_is_answered_with_how_to_print():
    with pytest.warns(UserWarning, match="reports: print is left out; `with"):
        ng.op(reports)


def test_a_validator_counts():
    with pytest.raises(ValueError, match="validates: length is negative .element 1, "):
        ng.op(validates)(np.array([1.0, -1.0]))
    with pytest.raises(AssertionError, match="x < 100"):
        ng.op(validates)(np.array([1.0, 200.0]))


def some_paths(x):
    if x < 0:
        return -x, None
    elif x >= 1:
        return x, 2 * x


def test_none_is_no_result():
    """An element whose result is None ends the call, or is NaN."""
    for fn in (nothing_below_zero, some_paths):
        with pytest.raises(TypeError, match=r"the result is None, .*\(element 1, raised at .*:"):
            ng.op(fn)(np.array([1.0, -1.0]))
        values = np.ravel(ng.op(fn, on_invalid="nan")(np.array([1.0, -1.0])))
        assert values[0] == 1.0
        assert np.isnan(values[1])
    with pytest.raises(TypeError, match="the result is None"):
        ng.op(some_paths)(np.array([2.0, math.nan]))
    np.testing.assert_array_equal(ng.op(some_paths)(np.array([2.0]))[1], [4.0])
