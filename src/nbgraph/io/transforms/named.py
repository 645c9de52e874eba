"""Transforms with MXNet's names that are built from other transforms."""

from typing import Any

from nbgraph.io.transforms.affine import RandomAffine
from nbgraph.io.transforms.colour import Grayscale
from nbgraph.io.transforms.compose import Compose, RandomApply

HybridCompose = Compose
HybridRandomApply = RandomApply


def RandomGray(p: float = 0.5) -> RandomApply:
    """Convert images to grey with probability `p`; they keep three channels.

    >>> RandomGray(0.1)
    RandomApply(transforms=(Grayscale(channels=3),), p=0.1)
    """
    return RandomApply(Grayscale(3), p)


def RandomRotation(angle_limits: tuple[float, float], rotate_with_proba: float = 1.0) -> Any:
    """Rotate images counter-clockwise by random degrees within limits, with a probability.

    >>> RandomRotation((-10, 10))
    RandomAffine(degrees=(-10.0, 10.0))
    """
    turned = RandomAffine(degrees=angle_limits)
    return turned if rotate_with_proba == 1 else RandomApply(turned, rotate_with_proba)


def Rotate(rotation_degrees: float) -> RandomAffine:
    """Rotate images counter-clockwise by a fixed number of degrees.

    >>> Rotate(90)
    RandomAffine(degrees=(90.0, 90.0))
    """
    return RandomAffine(degrees=(rotation_degrees, rotation_degrees))
