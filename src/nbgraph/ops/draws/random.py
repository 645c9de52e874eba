"""`ng.random`: random arrays, with the names and signatures of NumPy's Generator.

A call returns before its numbers are drawn. They are fixed at the call, by the seed and by how
many draws the device's stream has given: neither threads nor the engine change them.

The distributions are NumPy's, the numbers are not, but for uniform ones. Kernels draw them, in
parallel and on GPUs, with the same result for any number of workers and on all devices. The rest is
drawn on the host: beta, binomial, negative binomial and multinomial numbers, candidates, orders and
choices, and what has arrays as parameters that neither scale nor move.

`size` is a shape, None for that of the parameters together. `dtype` is by default that of the
parameters that are arrays, else `ng.config.default_float`; NumPy's names give float64. Parameters
that are NumPy arrays give a NumPy array, NDArrays an NDArray, numbers an NDArray on `device`.
`rng` draws from elsewhere than the device's stream: a seed, a numpy.random.Generator or a
SeedSequence. A generator gives the key of the draw at the call, and moves on by that; so it does
not give the numbers of its own methods, which the engine could not carry out in any order.

>>> import nbgraph as ng
>>> ng.random.seed(0)
>>> x = ng.random.normal(size=(2, 3))
>>> ng.random.seed(0)
>>> bool((x == ng.random.normal(size=(2, 3))).all())
True
"""

from nbgraph._listing import public_names
from nbgraph.foreign import missing
from nbgraph.ops.draws.candidates import unique_zipfian as unique_zipfian
from nbgraph.ops.draws.candidates import zipfian as zipfian
from nbgraph.ops.draws.categories import categorical as categorical
from nbgraph.ops.draws.categories import multinomial as multinomial
from nbgraph.ops.draws.categories import truncated_normal as truncated_normal
from nbgraph.ops.draws.distributions import bernoulli as bernoulli
from nbgraph.ops.draws.distributions import beta as beta
from nbgraph.ops.draws.distributions import binomial as binomial
from nbgraph.ops.draws.distributions import exponential as exponential
from nbgraph.ops.draws.distributions import gamma as gamma
from nbgraph.ops.draws.distributions import (
    generalized_negative_binomial as generalized_negative_binomial,
)
from nbgraph.ops.draws.distributions import geometric as geometric
from nbgraph.ops.draws.distributions import gumbel as gumbel
from nbgraph.ops.draws.distributions import laplace as laplace
from nbgraph.ops.draws.distributions import logistic as logistic
from nbgraph.ops.draws.distributions import lognormal as lognormal
from nbgraph.ops.draws.distributions import negative_binomial as negative_binomial
from nbgraph.ops.draws.distributions import normal as normal
from nbgraph.ops.draws.distributions import poisson as poisson
from nbgraph.ops.draws.distributions import random as random
from nbgraph.ops.draws.distributions import standard_exponential as standard_exponential
from nbgraph.ops.draws.distributions import standard_gamma as standard_gamma
from nbgraph.ops.draws.distributions import standard_normal as standard_normal
from nbgraph.ops.draws.distributions import uniform as uniform
from nbgraph.ops.draws.integers import integers as integers
from nbgraph.ops.draws.orders import choice as choice
from nbgraph.ops.draws.orders import permutation as permutation
from nbgraph.ops.draws.orders import shuffle as shuffle
from nbgraph.resource import seed as seed

__dir__ = public_names(globals(), "seed")
__getattr__ = missing("ng.random", globals())

randint = integers
