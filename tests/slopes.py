"""Derivatives by central differences, which judge those of the library."""

import numpy as np


def differences(fn, points, wrt, step=1e-6):
    """The gradient of a function that gives a number, with respect to one operand."""
    slopes = np.zeros(points[wrt].shape)
    for index in np.ndindex(slopes.shape):
        sides = []
        for sign in (1, -1):
            moved = [p.copy() for p in points]
            moved[wrt][index] += sign * step
            sides.append(float(fn(*moved)))
        slopes[index] = (sides[0] - sides[1]) / (2 * step)
    return slopes
