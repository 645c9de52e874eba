"""Functions for scalar text that `math` and NumPy lack.

Capture knows them by identity and calls `vector_math`; their bodies here are what the text means
when it runs as plain Python.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    """The logistic function 1 / (1 + e**-x).

    >>> sigmoid(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)


def softplus(x: Any) -> Any:
    """log(1 + e**x) without overflow.

    >>> softplus(-1000.0)
    0.0
    """
    high = x if x > 0 else 0 * x
    return high + math.log1p(math.exp(-abs(x)))


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x).

    >>> rsqrt(4.0)
    0.5
    """
    return 1 / math.sqrt(x)


def digamma(x: Any) -> Any:
    """The logarithmic derivative of the gamma function.

    >>> round(float(digamma(1.0)), 6)
    -0.577216
    """
    from scipy.special import psi

    return psi(x)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of `digamma`.

    >>> round(float(polygamma(1, 1.0)), 6)
    1.644934
    """
    from scipy.special import polygamma as derivative

    return derivative(n, x)


def erfinv(x: Any) -> Any:
    """The number whose error function is x.

    >>> round(float(erfinv(0.5)), 6)
    0.476936
    """
    from scipy.special import erfinv as inverse

    return inverse(x)


def floating(x: Any) -> Any:
    """A value as a floating one; of an integer or a bool, the smallest float that holds it, as
    the argument of a NumPy function (not float64, as beside a Python float).

    >>> floating(np.int8(3))
    np.float16(3.0)
    """
    return x * np.float16(1)
