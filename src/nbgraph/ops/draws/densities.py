"""Densities of distributions at samples, and probabilities of counts, by MXNet's names.

Parameters are arrays; samples have their shape, or further axes behind it: many samples of each
distribution. Gradients flow to samples and parameters. The formulas are in `log_densities`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.registry import register
from nbgraph.ops.define import as_known, composed, deferrable, library
from nbgraph.ops.draws import log_densities as logs


class _Density(NamedTuple):
    """A row: the logarithm's operator, MXNet's names of its parameters, and what they are."""

    log: Mapper
    parameters: str
    text: str
    example: str


_ROWS = {
    "uniform": _Density(
        logs.uniform_log_density, "low high",
        "the uniform distribution from `low` to `high`", "[[1.0]], [0.0], [2.0] -> 0.5",
    ),
    "normal": _Density(
        logs.normal_log_density, "mu sigma",
        "the normal distribution of mean `mu` and standard deviation `sigma`",
        "[[1.0]], [1.0], [0.5] -> 0.7979",
    ),
    "gamma": _Density(
        logs.gamma_log_density, "alpha beta",
        "the gamma distribution of shape `alpha` and rate `beta`",
        "[[0.5]], [1.0], [2.0] -> 0.7358",
    ),
    "exponential": _Density(
        logs.exponential_log_density, "lam",
        "the exponential distribution of rate `lam`", "[[0.5]], [2.0] -> 0.7358",
    ),
    "poisson": _Density(
        logs.poisson_log_density, "lam", "Poisson's distribution of mean `lam`",
        "[[0.0]], [1.0] -> 0.3679",
    ),
    "negative_binomial": _Density(
        logs.negative_binomial_log_density, "k p",
        "how many events come before `k` of another kind, which come with probability `p`",
        "[[1.0]], [2.0], [0.5] -> 0.25",
    ),
    "generalized_negative_binomial": _Density(
        logs.dispersed_log_density, "mu alpha",
        "the negative binomial distribution of mean `mu` and variance mu + alpha * mu**2",
        "[[0.0]], [1.0], [1.0] -> 0.5",
    ),
}  # fmt: skip


def _beside(name: str, label: str, value: Any, sample: Any) -> Any:
    """A parameter with axes of size 1 behind its own, so that it broadcasts against samples."""
    value = as_known(name, value)
    own, whole = tuple(value.shape), tuple(sample.shape)
    if own != whole[: len(own)]:
        raise ShapeError(
            f"{name}: {label} has shape {own} beside sample{whole}; expected a sample's shape that "
            "begins with the parameters'"
        )
    more = tuple(range(len(own), len(whole)))
    return library.expand_dims(value, more) if more and own else value


def _bound(signature: inspect.Signature, args: Any, keywords: Any) -> list[Any]:
    bound = signature.bind(*args, **keywords)
    bound.apply_defaults()
    return list(bound.arguments.values())


def _made(kind: str) -> Callable[..., Any]:
    """The function of a row, registered by MXNet's name."""
    row, name = _ROWS[kind], f"random_pdf_{kind}"
    labels = row.parameters.split()

    kind_of = inspect.Parameter.POSITIONAL_OR_KEYWORD
    arrays = [inspect.Parameter(label, kind_of) for label in ("sample", *labels)]
    signature = inspect.Signature([*arrays, inspect.Parameter("is_log", kind_of, default=False)])

    def density(*args: Any, **keywords: Any) -> Any:
        try:
            sample, *values, is_log = _bound(signature, args, keywords)
        except TypeError as error:
            raise ArgumentError(f"{name}: {error}; it takes {name}{signature}") from None
        sample = as_known(name, sample)
        pairs = zip(labels, values, strict=True)
        found = row.log(sample, *(_beside(name, *pair, sample) for pair in pairs))
        return found if is_log else library.exp(found)

    made: Any = density
    made.__name__ = made.__qualname__ = name
    made.operands, made.__signature__ = ("sample", *labels), signature
    given, wanted = row.example.split(" -> ")
    made.__doc__ = f"""The density, or probability, at samples of {row.text}.

Parameters
----------
sample : array (..., *samples), floats
{", ".join(labels)} : arrays (...); samples have their axes, then any more
is_log : whether the logarithm is wanted, which does not underflow

Returns
-------
array of the shape of sample; 0 outside of the support

Raises
------
ShapeError where a sample's shape does not begin with that of a parameter.

>>> round(float({name}({given})[0, 0]), 4)
{wanted}
"""
    return register(deferrable()(made), name)


random_pdf_uniform = _made("uniform")
random_pdf_normal = _made("normal")
random_pdf_gamma = _made("gamma")
random_pdf_exponential = _made("exponential")
random_pdf_poisson = _made("poisson")
random_pdf_negative_binomial = _made("negative_binomial")
random_pdf_generalized_negative_binomial = _made("generalized_negative_binomial")


@composed("sample", "alpha")
@deferrable()
def random_pdf_dirichlet(sample: Any, alpha: Any, is_log: bool = False) -> Any:
    """The density at samples of Dirichlet's distribution: shares of classes that add up to 1.

    Parameters
    ----------
    sample : array (..., *samples, classes), floats
    alpha : array (..., classes), above 0: concentrations
    is_log : whether the logarithm is wanted

    Returns
    -------
    array (..., *samples): lgamma(sum of alpha) - sum of lgamma(alpha) + sum of (alpha - 1) *
        log(sample) along classes, or its exponential

    Raises
    ------
    ShapeError where shapes do not fit.

    >>> round(float(random_pdf_dirichlet([[0.2, 0.3, 0.5]], [[1.0, 2.0, 3.0]])[0]), 4)
    4.5
    """
    name = "random_pdf_dirichlet"
    sample, alpha = as_known(name, sample), as_known(name, alpha)
    own, whole = tuple(alpha.shape), tuple(sample.shape)
    if not own or own[-1:] != whole[-1:] or own[:-1] != whole[: len(own) - 1]:
        raise ShapeError(
            f"{name}: alpha has shape {own} beside sample{whole}; expected as many classes, and a "
            "sample's shape that begins with that of alpha"
        )
    total = library.lgamma(library.sum(alpha, -1))
    scale = library.subtract(total, library.sum(library.lgamma(alpha), -1))
    more = tuple(range(len(own) - 1, len(whole) - 1))
    wide = library.expand_dims(alpha, more) if more else alpha
    terms = library.sum(library.xlogy(library.subtract(wide, 1), sample), -1)
    made = library.add(library.expand_dims(scale, more) if more else scale, terms)
    return made if is_log else library.exp(made)
