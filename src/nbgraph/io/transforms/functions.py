"""Scalar functions of a pixel."""

import numpy as np

from nbgraph.operator.decorator import op


@op(certify=False)
def scaled(x, factor):
    """A value times a factor."""
    return x * factor


@op(certify=False)
def shifted(x, offset):
    """A value and an offset."""
    return x + offset


@op(certify=False)
def blended(x, other, share):
    """A share of a value, and for the rest another one."""
    return x * share + other * (1 - share)


@op(certify=False)
def normalised(x, mean, deviation):
    """A value as deviations from a mean."""
    return (x - mean) / deviation


@op(certify=False)
def mixed(red, green, blue, a, b, c):
    """A sum of three colours."""
    return red * a + green * b + blue * c


@op(certify=False)
def rounded(x, low, high):
    """The nearest whole number between bounds."""
    return min(max(np.rint(x), low), high)
