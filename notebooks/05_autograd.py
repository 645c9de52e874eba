# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Gradients
#
# Notebook 01 differentiated one operator. Here whole programs are differentiated: whatever operators
# ran, in whatever order Python called them. Two ways lead there. You mark arrays, record and go
# backward; or you turn a function into the function that gives its gradient.

# %%
import math

import numpy as np
from scipy.optimize import rosen_hess
from sklearn.datasets import load_diabetes

import nbgraph as ng
from nbgraph import autograd

# %% [markdown]
# ## Mark, record, backward
#
# `attach_grad` marks an array as a variable. Within `record()` operators are noted on a tape as they
# are pushed. `backward` goes through it from the end and leaves each variable's gradient in `.grad`.
# None of it waits.

# %%
x = ng.array([1.0, 2.0, 3.0])
x.attach_grad()
with autograd.record():
    y = (x**2).sum()
y.backward()
print(x.grad)
assert x.grad.tolist() == [2, 4, 6]

# %% [markdown]
# A gradient replaces the one before. With `grad_req="add"` it is added, so that a large batch can be
# worked off in parts; `"null"` collects nothing. An output that is not a single number gets ones as its
# gradient, or what `backward` is given.

# %%
x.attach_grad("add")
for part in (slice(0, 2), slice(2, 3)):
    with autograd.record():
        y = (x[part] ** 2).sum()
    y.backward()
print(x.grad)
assert x.grad.tolist() == [2, 4, 6]
x.grad[:] = 0

# %% [markdown]
# ## Python's control flow
#
# The tape holds what ran. Loops and `if` need nothing special; an `if` that looks at a value waits
# for it. Inside an operator, an `if` holds for each element, and only the branch taken counts.


# %%
@ng.op
def root(x):
    return math.sqrt(x) if x > 0 else 0.0


def halve_until_small(v):
    steps = 0
    while abs(v).max() > 1:
        v, steps = v / 2, steps + 1
    return root(v).sum(), steps


slope, steps = ng.grad(halve_until_small, has_aux=True)(ng.array([0.0, 1.0, 4.0]))
print(slope, steps)
assert steps == 2 and slope.tolist() == [0, 0.25, 0.125]

# %% [markdown]
# ## Functions of functions
#
# `ng.grad` and `ng.value_and_grad` mark nothing and collect nothing. Arguments may be dicts, lists and
# tuples of arrays; the gradient has the same structure. NumPy arrays are taken, too.


# %%
def line(p, x):
    return p["slope"] * x + p["offset"]


def squares(p, x, y):
    return ((line(p, x) - y) ** 2).sum()


p = {"slope": ng.array(1.0), "offset": ng.array(0.5)}
x = np.arange(4, dtype="float32")
print(ng.value_and_grad(squares)(p, x, 3 * x))

# %% [markdown]
# `jvp` pushes a direction forward, `vjp` pulls a gradient back, `hessian` gives all second derivatives
# of a function of few numbers. Here for the valley that optimisers are tried on, against SciPy's.


# %%
def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


point, along = ng.array([1.2, 0.8, 1.1]), ng.array([1.0, 0.0, -1.0])
slope = ng.grad(rosenbrock)(point)
_, climbed = ng.jvp(rosenbrock, (point,), (along,))
value, pull = ng.vjp(rosenbrock, point)
assert np.allclose(climbed, along @ slope)
assert np.allclose(pull(ng.array(2.0))[0], 2 * slope)

curvature = ng.hessian(rosenbrock)(point)
np.testing.assert_allclose(curvature, rosen_hess(point.asnumpy()), rtol=1e-5)
curvature

# %% [markdown]
# ## Again and again
#
# A gradient is computed by operators, so it can be differentiated. The third derivative of tanh, by
# nesting; and a penalty on the size of a gradient, which is a gradient within a recording:

# %%
third = ng.grad(ng.grad(ng.grad(ng.tanh)))(0.5)
t = math.tanh(0.5)
assert math.isclose(third.item(), -2 * (1 - t * t) * (1 - 3 * t * t), rel_tol=1e-5)

x = ng.array([1.0, 2.0])
x.attach_grad()
with autograd.record():
    y = (x**3).sum()
    slope = autograd.grad(y, x, create_graph=True)
    penalty = (slope**2).sum()  # sum of (3 x^2)^2
penalty.backward()
print(x.grad)  # 36 x^3
assert x.grad.tolist() == [36, 288]

# %% [markdown]
# ## Where no gradient should flow, or another
#
# `ng.stop_gradient(x)` and `x.detach()` are `x` as a constant. A `Function` says itself what flows
# back. Rounding has slope 0 everywhere, so nothing could be trained through it. This one lets the
# gradient pass as if nothing had been rounded.

# %%
print(ng.grad(lambda x: ng.stop_gradient(x) * x)(3.0))


class Rounded(autograd.Function):
    def forward(self, x):
        return ng.round(x)

    def backward(self, out_grad):
        return out_grad


through = ng.grad(lambda v: (Rounded()(v) ** 2).sum())(ng.array([0.4, 1.6]))
print(ng.grad(lambda v: (ng.round(v) ** 2).sum())(ng.array([0.4, 1.6])), through)
assert through.tolist() == [0, 4]

# %% [markdown]
# ## Writing in place
#
# Arrays may be written while they are recorded, parts of them too. What cannot be right is refused: a
# backward pass that needs a value which is no longer there says so. It never uses the new one.

# %%
with autograd.record():
    y = x * 2
    y += 1
    y[0] = 5
    z = (y * y).sum()
z.backward()
print(x.grad)  # nothing flows to x[0]
assert x.grad.tolist() == [0, 20]

with autograd.record():
    e = ng.exp(x)
    z = e.sum()
e *= 0  # the slope of exp is its result
try:
    z.backward()
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("this should have been refused")

# %% [markdown]
# ## A fit
#
# The loss that boxes are fitted with in object detection, on other data: ten measurements of 442
# patients, and how far their illness went. `w_in` scales a residual, `w_out` weighs its loss. A sixth
# of the targets is spoilt. `smooth_l1` is linear in large residuals, so they hardly pull.


# %%
@ng.op
def smooth_l1(x):
    return 0.5 * x * x if abs(x) < 1 else abs(x) - 0.5


@ng.op
def half_square(x):
    return 0.5 * x * x


source = load_diabetes()
columns = ng.array(source.data / source.data.std(axis=0), "float32")
truth = source.target
rng = np.random.default_rng(0)
spoilt = truth + np.where(rng.random(len(truth)) < 1 / 6, 800, 0)
label, w_in, w_out = ng.array(spoilt, "float32"), 1 / 50, 1 / len(truth)


def fit(f, steps=200, rate=300.0):
    p = {"w": ng.zeros(10), "b": ng.array(150.0)}

    def loss(p):
        data = columns @ p["w"] + p["b"]
        return ng.sum(w_out * f(w_in * (data - label)))

    differentiate = ng.value_and_grad(loss)
    for _ in range(steps):
        value, slope = differentiate(p)
        for name, array in p.items():
            array -= rate * slope[name]
    error = np.abs((columns @ p["w"] + p["b"]).asnumpy() - truth).mean()
    return value.item(), error


found = {f.__name__: fit(f) for f in (half_square, smooth_l1)}
for name, (value, error) in found.items():
    print(f"{name:12} loss {value:6.3f}, off by {error:5.1f} on the true targets")
assert found["smooth_l1"][1] < 50 < 100 < found["half_square"][1]

# %% [markdown]
# The gradient of the whole loss with respect to `data - label` is a few kernels, each of which
# computes all gradients of its operator in one pass. Nothing was written for it: the slope of
# `smooth_l1` comes from its text, certified before its first value was used.
