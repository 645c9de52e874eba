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

from nbgraph._listing import bring
from nbgraph.foreign import published
from nbgraph.ops.draws.integers import integers as integers
from nbgraph.resource import seed as seed

_PLACES = """
candidates unique_zipfian zipfian
categories categorical multinomial truncated_normal
distributions bernoulli beta binomial exponential gamma generalized_negative_binomial geometric
distributions gumbel laplace logistic lognormal negative_binomial normal poisson random
distributions standard_exponential standard_gamma standard_normal uniform
orders choice permutation shuffle
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.random", globals(), "seed")

randint = integers
