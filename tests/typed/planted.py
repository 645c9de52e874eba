"""A user's file with eleven mistakes; the comment of each says what is wrong."""

import numpy as np

import nbgraph as ng


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    return 0.5 * s2 * x * x if abs(x) < 1 / s2 else abs(x) - 0.5 / s2


@ng.jit
def distance(a, b):
    return ng.sum(smooth_l1(a - b))


def energy(x: ng.NDArray) -> ng.NDArray:
    return (x * x).sum()


start = ng.zeroes((2, 3))  # wrong: a name that is misspelt
x = ng.array([[1.0, 2.0], [3.0, 4.0]])
total = ng.sum(x, axes=0)  # wrong: a keyword of another library
rows = x.shpae[0]  # wrong: an attribute of an array
value = smooth_l1(x).mean().itme()  # wrong: a method of an operator's result
host = smooth_l1(np.zeros(3)).asnumpy()  # wrong: the result of NumPy arrays is one of NumPy's
label = x + "1"  # wrong: text beside an array
far = distance(x)  # wrong: an argument of a compiled function is missing
ng.value_and_grad(energy)(x).backward()  # wrong: a pair has no such method
layer = ng.nn.Dense("16")  # wrong: the number of units is text
optimizer = ng.optim.Adam(ng.nn.Dense(16), 0.1, momentum=0.9)  # wrong: Adam has no momentum
executor = ng.sum(ng.var("x")).simple_bind(x=(2,))
executor.fowrard(is_train=True)  # wrong: a method of an executor
