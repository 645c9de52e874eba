"""Scalar functions of a pixel, which `Chain` fuses into one loop."""

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
    """Return the mean of two values, weighted by a share of the first one."""
    return x * share + other * (1 - share)


@op(certify=False)
def normalised(x, mean, deviation):
    """Return the number of deviations between a value and a mean."""
    return (x - mean) / deviation


@op(certify=False)
def mixed(red, green, blue, a, b, c):
    """Return a weighted sum of three colours."""
    return red * a + green * b + blue * c


@op(certify=False)
def rounded(x, low, high):
    """Return a value rounded to a whole number and clipped to bounds."""
    return min(max(np.rint(x), low), high)
