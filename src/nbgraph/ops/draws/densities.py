"""Densities of distributions at samples, and probabilities of counts, by MXNet's names: a table.

Parameters are arrays; samples have their shape, or further axes after it: many samples per
distribution. Gradients flow to samples and parameters. The formulas are in `log_densities`.
"""

from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.declared import Row, parse
from nbgraph.ops.define import as_known, define_rows, library
from nbgraph.ops.draws import log_densities as logs

_TABLE = """
random_pdf_uniform(low, high): the uniform distribution from `low` to `high`.
    >>> round(float(random_pdf_uniform([[1.0]], [0.0], [2.0])[0, 0]), 4)
    0.5
random_pdf_normal(mu, sigma): the normal distribution of mean `mu` and standard deviation `sigma`.
    >>> round(float(random_pdf_normal([[1.0]], [1.0], [0.5])[0, 0]), 4)
    0.7979
random_pdf_gamma(alpha, beta): the gamma distribution of shape `alpha` and rate `beta`.
    >>> round(float(random_pdf_gamma([[0.5]], [1.0], [2.0])[0, 0]), 4)
    0.7358
random_pdf_exponential(lam): the exponential distribution of rate `lam`.
    >>> round(float(random_pdf_exponential([[0.5]], [2.0])[0, 0]), 4)
    0.7358
random_pdf_poisson(lam): Poisson's distribution of mean `lam`.
    >>> round(float(random_pdf_poisson([[0.0]], [1.0])[0, 0]), 4)
    0.3679
random_pdf_negative_binomial(k, p): how many events come before `k` of another kind, which come with
    probability `p`.
    >>> round(float(random_pdf_negative_binomial([[1.0]], [2.0], [0.5])[0, 0]), 4)
    0.25
random_pdf_generalized_negative_binomial(mu, alpha): the negative binomial distribution of mean `mu`
    and variance mu + alpha * mu**2.
    >>> round(float(random_pdf_generalized_negative_binomial([[0.0]], [1.0], [1.0])[0, 0]), 4)
    0.5
"""
_DIRICHLET = """
random_pdf_dirichlet(sample, alpha, is_log=False): The density at samples of Dirichlet's
    distribution: shares of classes that add up to 1.
    sample : array (..., *samples, classes), floats
    alpha : array (..., classes), above 0: concentrations
    is_log : whether to return the logarithm
    -> array (..., *samples): lgamma(sum of alpha) - sum of lgamma(alpha) + sum of (alpha - 1) *
        log(sample) along classes, or its exponential
    ! ShapeError where shapes do not fit.
    >>> round(float(random_pdf_dirichlet([[0.2, 0.3, 0.5]], [[1.0, 2.0, 3.0]])[0]), 4)
    4.5
    = dirichlet(sample, alpha, is_log)
"""
_SECTIONS = """
sample : array (..., *samples), floats
{parameters} : arrays (...); the axes of samples begin with theirs
is_log : whether to return the logarithm, which does not underflow
-> array of the shape of sample; 0 outside of the support
! ShapeError where a sample's shape does not begin with that of a parameter.
"""
_LOGARITHMS = {
    "random_pdf_uniform": logs.uniform_log_density,
    "random_pdf_normal": logs.normal_log_density,
    "random_pdf_gamma": logs.gamma_log_density,
    "random_pdf_exponential": logs.exponential_log_density,
    "random_pdf_poisson": logs.poisson_log_density,
    "random_pdf_negative_binomial": logs.negative_binomial_log_density,
    "random_pdf_generalized_negative_binomial": logs.dispersed_log_density,
}


def _beside(name: str, label: str, value: Any, sample: Any) -> Any:
    """Return a parameter with trailing axes of size 1, so that it broadcasts against samples."""
    value = as_known(name, value)
    own, whole = tuple(value.shape), tuple(sample.shape)
    if own != whole[: len(own)]:
        raise ShapeError(
            f"{name}: {label} has shape {own} beside sample{whole}; expected a sample's shape that "
            "begins with the parameters'"
        )
    more = tuple(range(len(own), len(whole)))
    return library.expand_dims(value, more) if more and own else value


def density(name: str, sample: Any, parameters: dict[str, Any], is_log: bool) -> Any:
    """Return the density at samples, or its logarithm."""
    sample, log = as_known(name, sample), _LOGARITHMS[name]
    values = [_beside(name, label, value, sample) for label, value in parameters.items()]
    result = log(sample, *values)
    return result if is_log else library.exp(result)


def dirichlet(sample: Any, alpha: Any, is_log: bool) -> Any:
    """Return the density of Dirichlet's distribution, or its logarithm."""
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
    value = library.add(library.expand_dims(scale, more) if more else scale, terms)
    return value if is_log else library.exp(value)


def _declared(row: Row) -> Row:
    """Return the row extended by samples, `is_log` and what all densities have in common."""
    values = ", ".join(f'"{n}": {n}' for n in row.parameters.split(", "))
    text, example, code = row.doc.partition(">>> ")
    sections = _SECTIONS.format(parameters=row.parameters)
    return row._replace(
        parameters=f"sample, {row.parameters}, is_log=False",
        call=f'density("{row.name}", sample, {{{values}}}, is_log)',
        doc=f"The density, or probability, at samples of {text.rstrip()}{sections}{example}{code}",
    )


_rows = [*map(_declared, parse(_TABLE)), *parse(_DIRICHLET)]
_ARRAYS = frozenset("sample low high mu sigma alpha beta lam k p".split())
define_rows(_rows, globals(), _ARRAYS, by_shape={row.name for row in _rows})
