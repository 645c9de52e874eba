"""Comparisons, extremes and choice, element by element.

Comparisons give bool; integers of different sign and width are compared exactly, anything
compared with NaN is False (`not_equal`: True). They have no slope.
"""

from typing import Any

from nbgraph.operator.declared import define_scalars
from nbgraph.ops.define import library

_TABLE = """
equal(x1, x2): Whether x1 equals x2.
    >>> equal([1, 2], 2)
    array([False,  True])
    = x1 == x2
not_equal(x1, x2): Whether x1 does not equal x2.
    >>> not_equal([1, 2], 2)
    array([ True, False])
    = x1 != x2
less(x1, x2): Whether x1 is below x2.
    >>> less([1, 2], 2)
    array([ True, False])
    = x1 < x2
less_equal(x1, x2): Whether x1 is at most x2.
    >>> less_equal([1, 2, 3], 2)
    array([ True,  True, False])
    = x1 <= x2
greater(x1, x2): Whether x1 is above x2.
    >>> greater([1, 2, 3], 2)
    array([False, False,  True])
    = x1 > x2
greater_equal(x1, x2): Whether x1 is at least x2.
    >>> greater_equal([1, 2, 3], 2)
    array([False,  True,  True])
    = x1 >= x2
maximum(x1, x2): The larger value; NaN where either is NaN. Where both are equal the slope goes to
    x1.
    >>> maximum([1, 2, 3], 2)
    array([2, 2, 3])
    = np.maximum(x1, x2)
minimum(x1, x2): The smaller value; NaN where either is NaN. Where both are equal the slope goes to
    x1.
    >>> minimum([1, 2, 3], 2)
    array([1, 2, 2])
    = np.minimum(x1, x2)
fmax(x1, x2): The larger value; the other one where one is NaN.
    >>> fmax([1.0, 3.0], [2.0, np.nan])
    array([2., 3.])
    = np.fmax(x1, x2)
fmin(x1, x2): The smaller value; the other one where one is NaN.
    >>> fmin([1.0, 3.0], [2.0, np.nan])
    array([1., 3.])
    = np.fmin(x1, x2)
clip(x, min, max): x limited to [min, max]; `max` where min is above max; NaN stays.
    >>> clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    = np.clip(x, min, max)
where(condition, x1, x2): x1 where the condition (bool) holds, else x2; a bool beside a number
    becomes a number.
    >>> where([True, False], [1, 2], -1)
    array([ 1, -1])
    = np.where(condition, x1, x2)
replace_nan(x, value): x with NaN replaced by `value`.
    >>> replace_nan([1.0, np.nan], 0)
    array([1., 0.])
    = x if x == x else value
replace_nonfinite(x, nan, high, low): x with NaN, inf and -inf replaced by `nan`, `high` and `low`.
    >>> replace_nonfinite([1.0, np.nan, np.inf], 0, 9, -9)
    array([1., 0., 9.])
    = (low if x == -math.inf else high if x == math.inf else x) if x == x else nan
heaviside(x1, x2): 0 where x1 is below zero, x2 where it is zero, 1 above.
    >>> heaviside([-2.0, 0.0, 2.0], 0.5)
    array([0. , 0.5, 1. ])
    = np.heaviside(x1, x2)
"""


def _limited(present: dict[str, Any], out: Any) -> Any:
    """Return the meaning of `clip` with one limit, or none."""
    x, low, high = (present.pop(name, None) for name in ("x", "min", "max"))
    if x is None or present or (low is not None and high is not None):
        return None
    if low is None and high is None:
        return library.copy(x, out=out)
    return library.minimum(x, high, out=out) if low is None else library.maximum(x, low, out=out)


def _places(present: dict[str, Any], out: Any) -> Any:
    """Return the meaning of `where` with a condition alone."""
    return library.nonzero(present["condition"]) if [*present] == ["condition"] else None


define_scalars(_TABLE, globals(), {"clip": _limited, "where": _places})
