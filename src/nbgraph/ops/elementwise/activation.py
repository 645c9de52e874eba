"""Activation functions of neural networks, element by element.

NaN stays NaN. At a kink the slope is that of the side named in each text.
"""

import math

from nbgraph.operator.declared import define_scalars

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
GELU_SCALE, ROOT_HALF = math.sqrt(2 / math.pi), math.sqrt(0.5)


_TABLE = """
relu(x): x where it is positive, else 0. Its slope at 0 is 0.
    >>> relu([-2, 3])
    array([0, 3])
    = 0 if x <= 0 else x
relu6(x): x limited to [0, 6]. Its slope at 0 and 6 is 0.
    >>> relu6([-2, 3, 9])
    array([0, 3, 6])
    = 0 if x <= 0 else (6 if x >= 6 else x)
leaky_relu(x, *, slope=0.01): x where it is positive, else slope * x. At 0 the slope is `slope`.
    >>> leaky_relu([-2.0, 3.0], slope=0.5)
    array([-1.,  3.])
    = x if x > 0 else slope * x
prelu(x, slope): x where it is positive, else slope * x, for slopes that are learned.

    Slopes of channels have to broadcast: of shape (channels, 1, 1) beside images.
    >>> prelu([[-2.0, 3.0], [-2.0, 3.0]], [[0.5], [0.25]])
    array([[-1. ,  3. ],
           [-0.5,  3. ]])
    = x if x > 0 else slope * x
highway(x, y, gate): sigmoid(gate) * x + (1 - sigmoid(gate)) * y: a gate between two values.
    >>> highway([1.0, 1.0], [0.0, 0.0], [0.0, 1000.0])
    array([0.5, 1. ])
    = special.sigmoid(gate) * x + special.sigmoid(-gate) * y
elu(x, *, alpha=1.0): x where it is positive, else alpha * (e**x - 1). At 0 the slope is alpha.
    >>> elu([-np.inf, 3.0])
    array([-1.,  3.])
    = x if x > 0 else alpha * math.expm1(x)
celu(x, *, alpha=1.0): x where it is positive, else alpha * (e**(x / alpha) - 1).
    >>> celu([-np.inf, 3.0], alpha=2.0)
    array([-2.,  3.])
    = x if x > 0 else alpha * math.expm1(x / alpha)
selu(x): `elu` scaled so that layers keep mean 0 and variance 1 (Klambauer et al., 2017).
    >>> selu([-np.inf, 1.0])
    array([-1.75809934,  1.05070099])
    = SELU_SCALE * (x if x > 0 else SELU_ALPHA * math.expm1(x))
silu swish(x): x * sigmoid(x).
    >>> silu([0.0, 1.0])
    array([0.        , 0.73105858])
    = x * special.sigmoid(x)
mish(x): x * tanh(softplus(x)).
    >>> mish([0.0, 1.0])
    array([0.        , 0.86509839])
    = x * math.tanh(special.softplus(x))
sigmoid expit(x): 1 / (1 + e**-x).
    >>> sigmoid([0.0, 1.0])
    array([0.5       , 0.73105858])
    = special.sigmoid(x)
log_sigmoid(x): log(sigmoid(x)) without overflow.
    >>> log_sigmoid([0.0, -1000.0])
    array([-6.93147181e-01, -1.00000000e+03])
    = -special.softplus(-x)
softplus(x): log(1 + e**x) without overflow.
    >>> softplus([0.0, 1000.0])
    array([6.93147181e-01, 1.00000000e+03])
    = special.softplus(x)
softsign(x): x / (1 + abs(x)).
    >>> softsign([-1.0, 3.0])
    array([-0.5 ,  0.75])
    = x / (1 + np.absolute(x))
hard_swish(x): x * hard_sigmoid(x).
    >>> hard_swish([-4.0, 3.0])
    array([-0.,  3.])
    = -0.0 if x <= -3.0 else (x if x >= 3.0 else x * hard_sigmoid(x))
hard_tanh(x, *, low=-1.0, high=1.0): x limited to [low, high]. Its slope at the limits is 0.
    >>> hard_tanh([-2.0, 0.5])
    array([-1. ,  0.5])
    = low if x <= low else (high if x >= high else x)
gelu(x, *, approximate="none"): x times the normal distribution function; `approximate="tanh"` is
    the quicker formula.
    >>> gelu([-1.0, 1.0])
    array([-0.15865525,  0.84134475])
    >>> gelu([-1.0, 1.0], approximate="tanh")
    array([-0.15880801,  0.84119199])
    = (0.5 * x * (1 + math.tanh(GELU_SCALE * (x + 0.044715 * x**3))) if approximate == "tanh"
        else 0.5 * x * math.erfc(-x * ROOT_HALF))
hard_sigmoid(x, *, alpha=1 / 6, beta=0.5): alpha * x + beta limited to [0, 1], where its slope is 0.
    MXNet's alpha is 0.2.
    >>> hard_sigmoid([-4.0, 0.0, 4.0])
    array([0. , 0.5, 1. ])
    = 0 if alpha * x + beta <= 0 else (1 if alpha * x + beta >= 1 else alpha * x + beta)
"""
define_scalars(_TABLE, globals())
