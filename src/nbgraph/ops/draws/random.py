"""`ng.random`: random arrays, with the names and signatures of NumPy's Generator.

A call returns before its numbers are drawn. They are fixed at the call, by the seed and the number
of earlier draws from the device's stream: they do not depend on threads or the engine.

The distributions are NumPy's; of the numbers only the uniform ones equal NumPy's. Kernels draw
them, in parallel and on GPUs, with the same results on all devices, by any number of workers. The
rest is drawn on the host: beta, binomial, negative binomial and multinomial numbers, candidates,
orders, choices, and distributions with array parameters other than location and scale.

`size` is a shape, by default the one that the parameters broadcast to. `dtype` is by default that
of array parameters, else `ng.config.default_float`; NumPy's names give float64. Parameters that are
NumPy arrays give a NumPy array, NDArrays an NDArray, numbers an NDArray on `device`. `rng` replaces
the device's stream: a seed, a numpy.random.Generator or a SeedSequence. A generator provides the
key of the draw at the call, which advances it; the numbers are not those of its own methods, which
the engine could not run in any order.

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
