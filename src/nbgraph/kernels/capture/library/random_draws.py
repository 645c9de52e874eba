"""The texts of draws inside scalar functions, captured like the user's own.

`bits()` stands for 64 random bits, which depend on the place in the user's text. Outside of kernels
(`compiler="python"`) the texts run as plain Python.
"""

import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from nbgraph.kernels.capture.special import ndtri
from nbgraph.scopes import Scopes

HALF = 0xFFFFFFFF  # the low half of a word
EVERY = 0xFFFFFFFFFFFFFFFF
# of Philox; the steps are those of the key, from round to round
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
ROUNDS = 10
LEAST = 2.0**-54  # half of the smallest step: what makes a number positive


class Bits:
    """A source of 64 random bits, as an int, where texts run as plain Python."""

    def __init__(self) -> None:
        self._source: ContextVar[Callable[[], int]] = ContextVar("nbgraph_bits")
        self.come_from = Scopes(self._source)  # have texts draw from a function in a block

    def __call__(self) -> int:
        """Return the next 64 random bits."""
        return self._source.get()()


bits = Bits()


# words ------------------------------------------------------------------------------------------


def wide_product(a, b):
    """Return the product of two words as two words; no step exceeds one word."""
    low_a, high_a = a & HALF, a >> 32
    low_b, high_b = b & HALF, b >> 32
    low, cross = low_a * low_b, low_a * high_b
    middle = (low >> 32) + (cross & HALF) + high_a * low_b
    high = high_a * high_b + (cross >> 32) + (middle >> 32)
    return high, ((middle & HALF) << 32) | (low & HALF)


def philox(key, first, second):
    """Return a block of NumPy's Philox with key (key, 0) and counter (first, second, 0, 0)."""
    a, b, c, d = first, second, key & 0, key & 0
    for turn in range(ROUNDS):
        high0, low0 = wide_product(MULTIPLIERS[0], a)
        high1, low1 = wide_product(MULTIPLIERS[1], c)
        key0, key1 = (key + turn * STEPS[0] % (EVERY + 1)) & EVERY, turn * STEPS[1] % (EVERY + 1)
        a, b, c, d = high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0
    return a, b, c, d


# what `philox` gives, which capture has traced before
block = lambda key, first, second: philox(int(key), int(first), int(second))


def word_of(key, place, visit):
    """Return the random word of a place in the text at its `visit`-th visit, counted from 0.

    First visits share one sequence, whose neighbours come from one block. The very first word is
    the key itself.
    """
    if place == 0 and visit == 0:
        return key
    index = place if visit == 0 else visit - 1
    sequence = 0 if visit == 0 else place + 1
    a, b, c, d = block(key, np.uint64((index >> 2) + 1), np.uint64(sequence))
    lane = index & 3
    return a if lane == 0 else b if lane == 1 else c if lane == 2 else d


# numbers ----------------------------------------------------------------------------------------


def fraction(word):
    """Return a number in [0, 1) from the upper bits of a word, below 1 in any precision."""
    high, low = np.int32(word >> 40), np.int32((word >> 11) & 0x1FFFFFFF)
    number = float(high) * 2.0**-24 + float(low) * 2.0**-53
    return number - 2.0**-24 if number >= 1.0 else number  # rounded to float32


number = lambda size=None: fraction(bits())  # from 0 up to but without 1
# from `low` to `high`
uniform = lambda low=0.0, high=1.0, size=None: low + (high - low) * fraction(bits())
between = lambda a, b: a + (b - a) * fraction(bits())  # `random.uniform`


def standard_normal(size=None):
    """Return a standard normal number; one bit is the sign, as floats are finest near 0."""
    word = bits()
    below_middle = ndtri(0.5 * (fraction(word) + LEAST))
    return below_middle if word & 1 == 0 else -below_middle


# of the normal distribution with this mean and standard deviation
normal = lambda loc=0.0, scale=1.0, size=None: loc + scale * standard_normal()
gauss = lambda mu=0.0, sigma=1.0: normal(mu, sigma)  # `random.gauss`
# a number whose logarithm is normal
lognormal = lambda mean=0.0, sigma=1.0, size=None: math.exp(normal(mean, sigma))
lognormvariate = lambda mu=0.0, sigma=1.0: math.exp(normal(mu, sigma))  # `random.lognormvariate`
# the time until an event of rate 1
standard_exponential = lambda size=None: -math.log(fraction(bits()) + LEAST)
# the time until an event of rate 1 / scale
exponential = lambda scale=1.0, size=None: scale * standard_exponential()
expovariate = lambda lambd=1.0: standard_exponential() / lambd  # `random.expovariate`
# the distribution of the largest of many
gumbel = lambda loc=0.0, scale=1.0, size=None: loc - scale * math.log(standard_exponential())
rayleigh = lambda scale=1.0, size=None: scale * math.sqrt(2.0 * standard_exponential())
weibull = lambda a, size=None: standard_exponential() ** (1.0 / a)
pareto = lambda a, size=None: math.expm1(standard_exponential() / a)
_logit = lambda u: math.log(u / (1.0 - u))
logistic = lambda loc=0.0, scale=1.0, size=None: loc + scale * _logit(fraction(bits()) + LEAST)
_signed = lambda word: math.log(fraction(word) + LEAST) * (1.0 - 2.0 * float(word & 1))
laplace = lambda loc=0.0, scale=1.0, size=None: loc + scale * _signed(bits())


def triangular(low=0.0, high=1.0, mode=None):
    """Return the value of `random.triangular`."""
    u = fraction(bits())
    middle = 0.5 if mode is None else (mode - low) / (high - low)
    if u > middle:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - middle))
    return low + (high - low) * math.sqrt(u * middle)


# whole numbers ----------------------------------------------------------------------------------


def below(n, size=None):
    """Return a whole number in [0, n), uniform up to n * 2**-64."""
    high, _ = wide_product(bits(), np.uint64(n))
    return np.int64(high)


randint = lambda a, b: a + below(b - a + 1)  # `random.randint`: both ends may come


def randrange(start, stop=None, step=1):
    """Return the value of `random.randrange`."""
    if stop is None:
        return below(start)
    towards = 1 if step > 0 else -1
    return start + step * below((stop - start + step - towards) // step)


def integers(low, high=None, size=None, *, endpoint=False):
    """Return the value of `Generator.integers`, or of `np.random.randint`."""
    more = 1 if endpoint else 0
    return below(low + more) if high is None else low + below(high - low + more)


# whether an event of this probability comes
bernoulli = lambda p=0.5, size=None: np.int64(fraction(bits()) < p)
# how many trials it takes until one succeeds
geometric = lambda p, size=None: 1 + np.int64(-standard_exponential() / math.log1p(-p))


def choice(a, size=None, replace=True, p=None):
    """Return an item of a, or a whole number below a, uniformly or with probabilities p."""
    if isinstance(a, (int, np.integer)):
        return below(a)
    if p is None:
        return a[below(len(a))]
    u, total, place = fraction(bits()), 0.0, 0
    for i in range(len(a) - 1):
        total = total + p[i]
        place = place + (u >= total) * 1
    return a[place]


choice_of = lambda seq: seq[below(len(seq))]  # `random.choice`


WHOLE = (below, randint, randrange, integers)  # they take integers
_named = lambda names: {name: globals()[name] for name in names.split()}
_PYTHON: dict[str, Callable[..., Any]] = {
    **_named("lognormvariate expovariate triangular randint randrange"),
    **dict.fromkeys(("gauss", "normalvariate"), gauss),
    "random": number,
    "uniform": between,
    "choice": choice_of,
}
_NUMPY: dict[str, Callable[..., Any]] = {
    **_named("uniform normal standard_normal lognormal exponential standard_exponential choice"),
    **_named("gumbel rayleigh weibull pareto laplace logistic geometric"),
    "random": number,
}
_OLD: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("random_sample", "rand"), number),
    "randn": standard_normal,
    "randint": integers,
}
# what has texts, by the classes of the methods' owners and the modules of the library's functions,
# none of which is imported for it
OF_CLASSES: dict[str, dict[str, Callable[..., Any]]] = {
    "random.Random": _PYTHON,
    "numpy.random.mtrand.RandomState": {**_NUMPY, **_OLD},
    "numpy.random._generator.Generator": {**_NUMPY, "integers": integers},
    "nbgraph.ops.draws.distributions": {**_NUMPY, "bernoulli": bernoulli},
    "nbgraph.ops.draws.integers": {"integers": integers},
    "nbgraph.ops.draws.orders": {"choice": choice},
}
# what tries until a number is accepted: slopes of that are not slopes of the distribution
_BY_TRIAL = frozenset(f"Random.{kind}variate" for kind in ("gamma", "beta", "vonmises"))


def refused(target: object) -> bool:
    """Return whether a function draws in a way that has no text here."""
    place, name = (str(getattr(target, at, None)) for at in ("__module__", "__qualname__"))
    return place.startswith("nbgraph.ops.draws.") or (place == "random" and name in _BY_TRIAL)


def class_of(value: object) -> str:
    """Return the class of an object, as a key of `OF_CLASSES`."""
    return f"{type(value).__module__}.{type(value).__qualname__}"
