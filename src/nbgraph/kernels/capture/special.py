"""Functions for scalar text that `math` and NumPy lack.

Capture recognises them by identity and calls `vector_math`; their bodies run only where the text
runs as plain Python.
"""

import math
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    """Return the logistic function 1 / (1 + e**-x).

    >>> sigmoid(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)


def softplus(x: Any) -> Any:
    """Return log(1 + e**x) without overflow.

    >>> softplus(-1000.0)
    0.0
    """
    high = x if x > 0 else 0 * x
    return high + math.log1p(math.exp(-abs(x)))


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x).

    >>> rsqrt(4.0)
    0.5
    """
    return 1 / math.sqrt(x)


def floating(x: Any) -> Any:
    """Return a number as a float; for an integer or a bool the smallest float type that holds it,
    as NumPy's functions convert arguments (not float64, as an operation with a Python float).

    >>> floating(np.int8(3))
    np.float16(3.0)
    """
    return x * np.float16(1)


def slope(f: Any, x: Any, args: tuple[Any, ...] = ()) -> Any:
    """Return the derivative of a function with a text by its first argument.

    >>> round(slope(math.exp, 0.0), 9)
    1.0
    """
    h = 6e-6 * max(1.0, abs(x))
    return (f(x + h, *args) - f(x - h, *args)) / (2 * h)


def detached(x: Any) -> Any:
    """Return the number itself, with derivative 0 where a loop computes it.

    >>> detached(1.5)
    1.5
    """
    return x


class Special:
    """A special function of `vector_math`: capture calls it by its name."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: Any) -> Any:
        """Return the value of Python numbers, correct to the last digits."""
        from nbgraph.kernels.scalar.interpret import FloatDomain

        return FloatDomain().functions[self.__name__](*args)


digamma, polygamma, erfinv = Special("digamma"), Special("polygamma"), Special("erfinv")
erfcx, ndtri = Special("erfcx"), Special("ndtri")
gammainc, gammaincc = Special("gammainc"), Special("gammaincc")
gammaincinv, gammainccinv = Special("gammaincinv"), Special("gammainccinv")
gamma_density, beta_density = Special("gamma_density"), Special("beta_density")
beta, betaln = Special("beta"), Special("betaln")
betainc, betaincc, betaincinv = Special("betainc"), Special("betaincc"), Special("betaincinv")
jv, yv, ive, kve = Special("jv"), Special("yv"), Special("ive"), Special("kve")
airy_ai, airy_ai_slope = Special("airy_ai"), Special("airy_ai_slope")
airy_bi, airy_bi_slope = Special("airy_bi"), Special("airy_bi_slope")
sine_integral, cosine_integral = Special("sine_integral"), Special("cosine_integral")
fresnel_sine, fresnel_cosine = Special("fresnel_sine"), Special("fresnel_cosine")
dawsn, ellipk, hurwitz, lambert = (
    *(Special("dawsn"), Special("ellipk")),
    *(Special("zeta"), Special("lambertw")),
)
