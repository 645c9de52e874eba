"""Scalar functions of a pixel."""

import numpy as np

from nbgraph.operator.mapper.decorator import op


@op(certify=False)
def scaled(x, factor):
    """Return a value times a factor."""
    return x * factor


@op(certify=False)
def shifted(x, offset):
    """Return a value plus an offset."""
    return x + offset


@op(certify=False)
def blended(x, other, share):
    """Return a share of a value plus the rest of another one."""
    return x * share + other * (1 - share)


@op(certify=False)
def normalised(x, mean, deviation):
    """Return a value as deviations from a mean."""
    return (x - mean) / deviation


@op(certify=False)
def mixed(red, green, blue, a, b, c):
    """Return a weighted sum of three colours."""
    return red * a + green * b + blue * c


@op(certify=False)
def rounded(x, low, high):
    """Return the nearest whole number between bounds."""
    return min(max(np.rint(x), low), high)
