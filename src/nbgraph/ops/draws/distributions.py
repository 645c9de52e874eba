"""Random numbers of distributions, by the names of NumPy's Generator: a table.

A row has the parameters with their domains, how the numbers follow from a drawing, and the
documentation. `size`, `dtype`, `device` and `rng` are common to all.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.operator import registry
from nbgraph.operator.declared import Row, define, parse
from nbgraph.operator.registry import register
from nbgraph.ops.define import as_known, composed, deferrable, library, public, shape_tuple
from nbgraph.ops.draws import drawing, fills
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    Drawing,
    drawn,
    float_dtype,
    moved,
    parameter,
    with_random_docs,
)
from nbgraph.ops.draws.integers import whole_number

_DOMAINS = vars(drawing)
_OPTIONS = "size=size, dtype=dtype, device=device, rng=rng"
_TABLE = """
uniform(low: FINITE = 0.0, high: FINITE = 1.0): Uniformly distributed numbers from `low` to `high`,
    which only rounding attains.
    low, high : numbers, or arrays that broadcast
    >>> import nbgraph as ng
    >>> x = ng.random.uniform(-1, 1, size=(2, 3))
    >>> x.shape, bool((abs(x) <= 1).all())
    ((2, 3), True)
    = uniform_numbers(low, high, **options)
random(): Uniformly distributed numbers in [0, 1).
    >>> import nbgraph as ng
    >>> bool((ng.random.random(5) < 1).all())
    True
    = moved(fills.UNIFORM, 0, 1, **options)
normal(loc: ANY = 0.0, scale: NOT_NEGATIVE = 1.0): Numbers of the normal distribution.
    loc, scale : numbers, or arrays that broadcast: mean, and standard deviation from 0. Gradients
        flow to arrays: a number is loc + scale * a draw that stays.
    >>> import nbgraph as ng
    >>> ng.random.seed(1)
    >>> a = ng.random.normal(size=3)
    >>> ng.random.seed(1)
    >>> bool((a == ng.random.normal(size=3)).all())
    True
    = moved(fills.NORMAL, loc, scale, **options)
standard_normal(): Numbers of the normal distribution of mean 0 and standard deviation 1.
    >>> import nbgraph as ng
    >>> ng.random.standard_normal((2, 2), dtype="float64").dtype
    dtype('float64')
    = moved(fills.NORMAL, 0, 1, **options)
lognormal(mean: ANY = 0.0, sigma: NOT_NEGATIVE = 1.0): Numbers whose logarithm is normal.
    mean, sigma : numbers, or arrays that broadcast: mean and standard deviation of the logarithm
    >>> import nbgraph as ng
    >>> bool((ng.random.lognormal(size=5) > 0).all())
    True
    = library.exp(moved(fills.NORMAL, mean, sigma, **options))
exponential(scale: NOT_NEGATIVE = 1.0): Times between events that come at the rate `1 / scale`.
    scale : number from 0, or array: the mean
    >>> import nbgraph as ng
    >>> bool((ng.random.exponential(3.0, size=5) >= 0).all())
    True
    = moved(fills.EXPONENTIAL, 0, scale, **options)
standard_exponential(): Times between events that come at the rate 1.
    >>> import nbgraph as ng
    >>> ng.random.standard_exponential(4).shape
    (4,)
    = moved(fills.EXPONENTIAL, 0, 1, **options)
gumbel(loc: ANY = 0.0, scale: NOT_NEGATIVE = 1.0): Numbers of the Gumbel distribution, that of the
    largest of many.

    Added to logarithms of probabilities, the index of the largest is a draw of those.
    loc, scale : numbers, or arrays that broadcast: the likeliest value, and the width, from 0
    >>> import nbgraph as ng
    >>> log_p = ng.log(ng.array([0.0001, 0.9999]))
    >>> int((log_p + ng.random.gumbel(size=2, rng=0)).argmax())
    1
    = moved(fills.GUMBEL, loc, scale, **options)
laplace(loc: ANY = 0.0, scale: NOT_NEGATIVE = 1.0): Numbers of the Laplace distribution: exponential
    to both sides of `loc`.
    loc, scale : numbers, or arrays that broadcast: the mean, and the mean distance from it
    >>> import nbgraph as ng
    >>> ng.random.laplace(ng.zeros(3), 2.0).shape
    (3,)
    = moved(fills.LAPLACE, loc, scale, **options)
logistic(loc: ANY = 0.0, scale: NOT_NEGATIVE = 1.0): Numbers of the logistic distribution, of which
    the sigmoid is the distribution function.
    loc, scale : numbers, or arrays that broadcast: the mean, and the width, from 0
    >>> import nbgraph as ng
    >>> ng.random.logistic(size=(2,)).shape
    (2,)
    = moved(fills.LOGISTIC, loc, scale, **options)
standard_gamma(shape: NOT_NEGATIVE): Numbers of the gamma distribution of this shape parameter, of
    scale 1.
    shape : number from 0, or array: the mean
    >>> import nbgraph as ng
    >>> bool((ng.random.standard_gamma(2.0, size=5) > 0).all())
    True
    = floats(fills.STANDARD_GAMMA, [shape], **options)
gamma(shape: NOT_NEGATIVE, scale: NOT_NEGATIVE = 1.0): Numbers of the gamma distribution, of mean
    `shape * scale`.
    shape, scale : numbers from 0, or arrays that broadcast. Gradients flow to `scale`.
    >>> import nbgraph as ng
    >>> float(ng.random.gamma(0.0, 3.0))
    0.0
    = gamma_numbers(shape, scale, **options)
beta(a: POSITIVE, b: POSITIVE): Numbers between 0 and 1 of the beta distribution, of mean
    `a / (a + b)`.
    a, b : numbers above 0, or arrays that broadcast
    >>> import nbgraph as ng
    >>> x = ng.random.beta(2.0, 3.0, size=5)
    >>> bool(((x > 0) & (x < 1)).all())
    True
    = floats(fills.BETA, [a, b], **options)
poisson(lam: NOT_NEGATIVE = 1.0, *, dtype="int64"): The number of events if `lam` are expected.
    lam : number from 0, or array
    >>> import nbgraph as ng
    >>> int(ng.random.poisson(0.0))
    0
    = counts(fills.POISSON, [lam], **options)
binomial(n: ANY, p: PROBABILITY, *, dtype="int64"): The number of successes in `n` trials.
    n : number from 0, or array
    p : probability of one, or array
    >>> import nbgraph as ng
    >>> [int(x) for x in ng.random.binomial(5, ng.array([0.0, 1.0]))]
    [0, 5]
    = counts(fills.BINOMIAL, [trials(n), p], **options)
geometric(p: SUCCESS, *, dtype="int64"): The number of trials until the first success.
    p : probability of each, above 0, or array
    >>> import nbgraph as ng
    >>> int(ng.random.geometric(1.0))
    1
    = counts(fills.GEOMETRIC, [p], **options)
bernoulli(p: PROBABILITY = 0.5, *, dtype="bool"): True with probability `p`; with a numeric dtype 1.
    p : probability, or array
    >>> import nbgraph as ng
    >>> ng.random.bernoulli(1.0, size=2)
    array([ True,  True])
    = counts(fills.BERNOULLI, [p], **options)
negative_binomial(n: POSITIVE, p: SUCCESS, *, dtype="int64"): The number of failures before `n`
    successes, of mean n * (1 - p) / p.
    n : number above 0, or array; whole or not
    p : probability of success, above 0, or array
    >>> import nbgraph as ng
    >>> int(ng.random.negative_binomial(3, 1.0))
    0
    = counts(fills.NEGATIVE_BINOMIAL, [n, p], **options)
generalized_negative_binomial(mu: NOT_NEGATIVE, alpha: NOT_NEGATIVE, *, dtype="int64"): Counts of
    mean `mu` and variance mu + alpha * mu**2: Poisson's for alpha = 0, else negative binomial ones
    of n = 1 / alpha and p = 1 / (1 + mu * alpha).
    mu, alpha : numbers from 0, or arrays that broadcast
    >>> import nbgraph as ng
    >>> int(ng.random.generalized_negative_binomial(0.0, 1.0))
    0
    = counts(fills.GENERALIZED_NEGATIVE_BINOMIAL, [mu, alpha], **options)
"""


def uniform_numbers(low: Any, high: Any, **options: Any) -> Any:
    """Return uniform numbers between bounds; the upper one must not be below the lower."""
    numbers = type(low) in (int, float) and type(high) in (int, float)
    width = high - low if numbers else library.subtract(high, low)
    width = parameter("random.uniform", "high - low", width, NOT_NEGATIVE)
    return moved(fills.UNIFORM, low, width, **options)


def gamma_numbers(shape: Any, scale: Any, *, size: Any, dtype: Any, **options: Any) -> Any:
    """Return standard gamma numbers, scaled in the requested dtype."""
    dtype = float_dtype("random.gamma", dtype, [shape, scale])
    if size is None and not isinstance(scale, (int, float)):
        size = np.broadcast_shapes(np.shape(shape), scale.shape)
    standard = drawn(fills.STANDARD_GAMMA, [shape], size=size, dtype=dtype, **options)
    return library.astype(library.multiply(standard, scale), dtype)


def floats(op: Drawing, values: Sequence[Any], *, dtype: Any, **options: Any) -> Any:
    """Return real numbers; parameters that are arrays are operands."""
    name = op.__name__.replace("_", ".", 1)
    return drawn(op, values, dtype=float_dtype(name, dtype, values), **options)


def counts(op: Drawing, values: Sequence[Any], *, dtype: Any, **options: Any) -> Any:
    """Return integers; parameters that are arrays are operands."""
    return drawn(op, values, dtype=as_dtype(dtype), **options)


def trials(n: Any) -> Any:
    """Return the number of trials of `binomial`: an integer, not negative."""
    name = "random.binomial"
    return parameter(name, "n", whole_number(name, "n", n), NOT_NEGATIVE)


def _declared(row: Row) -> Row:
    """Return the row extended by the common parameters; its own ones are checked."""
    own, _, dtype = row.parameters.partition("*, dtype=")
    operands = re.sub(r": \w+", "", own).rstrip(", ")
    shared = f"size=None, *, dtype={dtype or None}, device=None, rng=None"
    call = row.call.replace("**options", _OPTIONS)
    for name, domain in re.findall(r"(\w+): (\w+)", own):
        checked = f'parameter("random.{row.name}", "{name}", {name}, _DOMAINS["{domain}"])'
        call = re.sub(rf"\b{name}\b", checked, call)
    parameters = f"{operands}, {shared}" if operands else shared
    return row._replace(parameters=parameters, call=call)


def _register(name: str) -> Any:
    """Register a function as `random_name`, and as the public function of its drawing."""
    function = with_random_docs(globals()[name])
    op = getattr(fills, name.upper(), None)
    names = (name,) if name in {"uniform", "normal"} else ()  # MXNet's
    full = f"random_{name}"
    return register(function, full, *names) if op is None else public(op, *names)(function)


def numbers_of(name: str, dtype: Any, shape: Any, *parameters: Any) -> Any:
    """Return draws of `shape` for each element of the parameters, which are arrays of one shape."""
    known = [as_known(f"sample_{name}", p) for p in parameters]
    own, more = tuple(known[0].shape), shape_tuple(f"sample_{name}", shape or ())
    wide = [library.reshape(p, (*own, *[1] * len(more))) for p in known]
    draw = registry.find(f"random_{name}")
    return library.astype(draw(*wide, (*own, *more), dtype=dtype), dtype or "float32")


_SAMPLED = """uniform(low=0.0, high=1.0): low, high
normal(mu=0.0, sigma=1.0): mu, sigma
gamma(alpha=1.0, beta=1.0): alpha, beta
exponential(lam=1.0): library.reciprocal(lam)
poisson(lam=1.0): lam
negative_binomial(k=1, p=0.5): k, p
generalized_negative_binomial(mu=1.0, alpha=1.0): mu, alpha"""
_SAMPLE = """sample_{0}({1}, shape=(), dtype=None): Numbers as of `random_{0}`, several for each
    element of the parameters.
    {1} : arrays of one shape
    shape : of the numbers for an element
    dtype : of the result, float32 by default
    -> array of the shape of the parameters and `shape` behind
    >>> sample_{0}({3}, shape=2).shape
    (1, 2)
    = numbers_of("{0}", dtype, shape, {2})
random_{0}_like(data, {4}): Like `random_{0}`, in the shape and dtype of data.
    data : array, whose values are not read
    {5} : numbers
    -> array like data
    >>> import numpy as np
    >>> random_{0}_like(np.ones((2, 3), "float32")).shape
    (2, 3)
    = numbers_like("{0}", data, {6})
"""


def numbers_like(name: str, data: Any, *parameters: Any) -> Any:
    """Return draws in the shape and dtype of an array, for these parameters, which are numbers."""
    data = as_known(f"random_{name}_like", data)
    arrays = [library.full_like(data, p, dtype="float64") for p in parameters]
    return library.astype(registry.find(f"random_{name}")(*arrays), data.dtype)


def _register_sampled(row: str) -> None:
    """Register the functions of a row of names, operands, and derivation of the numbers."""
    name, defaults, values = re.split(r"[(]|[)]: ", row, maxsplit=2)
    theirs = "loc=0.0, scale=1.0" if name == "normal" else defaults
    drawn = "loc, scale" if name == "normal" else values
    operands, numbers = (re.sub("=[^,]*", "", own) for own in (defaults, theirs))
    halves = ", ".join("[0.5]" for _ in operands.split(", "))
    rows = _SAMPLE.format(name, operands, values, halves, theirs, numbers, drawn)
    sampled, like = define(parse(rows), globals())
    for full, own in ((sampled, operands), (like, "data")):
        drawn_later = deferrable(draws=True)(globals()[full])
        globals()[full] = composed(*own.split(", "))(drawn_later)


globals().update({n: _register(n) for n in define(map(_declared, parse(_TABLE)), globals())})
for _row in _SAMPLED.split("\n"):
    _register_sampled(_row)
