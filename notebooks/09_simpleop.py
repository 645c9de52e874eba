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
# # A simple operator in four steps
#
# Most operators are scalar functions, and `@ng.op` makes everything of their text. Some are not:
# they look at a whole row, need scratch memory, or wrap a function that exists already. For those
# you write functions over whole arrays and register them. One registration makes an operator for
# NumPy arrays and for NDArrays.
#
# The example is the smooth L1 loss of a scalar `s`, a parabola near zero and straight outside:
#
# $f(x) = \begin{cases}(s x)^2 / 2 & |x| < 1/s^2\\ |x| - 0.5/s^2 & \text{otherwise}\end{cases}$

# %%
import numpy as np
from numba import njit

import nbgraph as ng
from nbgraph import autograd
from nbgraph.operator.simple import simple_declaration

# %% [markdown]
# ## Step 1: the shape
#
# A shape function is given the operand's shape and `env`, and returns the output's shape. It runs at
# the call, before anything is computed, so what it refuses is refused at once. Ours returns its
# operand's shape. That is the default, so in earnest we would leave it out.


# %%
def smooth_l1_shape(src, env):
    return src


# %% [markdown]
# ## Step 2: the function
#
# The function is given blobs. `src.get()` is a NumPy view; operands are read-only. `req` says what
# becomes of the result: nothing, write, write in place, or add. `ng.assign` does what it says.
# `env.scalar` is the call's `scalar=`.


# %%
def smooth_l1_forward(src, env, ret, req, ctx):
    x, s2 = src.get(), env.scalar**2
    bent = 0.5 * s2 * x * x
    ng.assign(ret.get(), req, np.where(np.abs(x) < 1 / s2, bent, np.abs(x) - 0.5 / s2))


# %% [markdown]
# ## Step 3: the gradient
#
# The parameters of the gradient say what the backward pass needs, and nothing else is kept for it:
#
# | form | parameters | kept |
# |------|------------|------|
# | T0 | `out_grad, env, in_grad, req, ctx` | nothing |
# | T1 | `out_grad, out_value, env, in_grad, req, ctx` | the output |
# | T2 | `out_grad, in_data0, env, in_grad, req, ctx` | the operand |
#
# Ours depends on the operand. It multiplies by `out_grad`: the chain rule is the gradient's own work.


# %%
def smooth_l1_gradient(out_grad, in_data0, env, in_grad, req, ctx):
    x, s2 = in_data0.get(), env.scalar**2
    ng.assign(in_grad.get(), req, out_grad.get() * np.clip(s2 * x, -1, 1))


# %% [markdown]
# ## Step 4: register
#
# The last argument is about memory. The gradient reads the operand, so the output may not overwrite
# it: `kNoInplace`. After the backward pass nobody needs `out_grad`, so the in-gradient may take its
# place: `kInplaceOutIn`.

# %%
smooth_l1 = (
    ng.register_simple_op("my_smooth_l1")
    .set_enable_scalar(True)
    .set_shape_function(smooth_l1_shape)
    .set_function("cpu", smooth_l1_forward, ng.kNoInplace)
    .set_gradient("cpu", smooth_l1_gradient, ng.kInplaceOutIn)
    .describe("Smooth L1 loss: a parabola where |x| < 1 / scalar**2, straight outside.")
)
help(smooth_l1)

# %% [markdown]
# It is there under its name, for NumPy and for NDArrays, with the same bits, and autograd knows it.

# %%
x = np.linspace(-2, 2, 9)
print(ng.my_smooth_l1(x, scalar=1.0))

a = ng.array(x)
a.attach_grad()
with autograd.record():
    y = ng.nd.my_smooth_l1(a, scalar=1.0)
    total = y.sum()
total.backward()
assert np.array_equal(y.asnumpy(), smooth_l1(x, scalar=1.0))
assert np.array_equal(a.grad.asnumpy(), np.clip(x, -1, 1))
print(a.grad)

# %% [markdown]
# ## What `@ng.op` would have inferred
#
# The same function as scalar text needs none of this. The form of the gradient and both in-place
# options are read off the derivative, and they are what we declared by hand.


# %%
@ng.op
def scalar_smooth_l1(x, *, s=1.0):
    if abs(x) < 1 / (s * s):
        return 0.5 * s * s * x * x
    return abs(x) - 0.5 / (s * s)


declared = simple_declaration(scalar_smooth_l1)
print(declared)
assert declared == ("T2", ng.kNoInplace, ng.kInplaceOutIn)
assert np.allclose(scalar_smooth_l1(x, s=1.5), smooth_l1(x, scalar=1.5))

# %% [markdown]
# ## Beyond the four steps
#
# **Scratch memory and random numbers** are requested, and granted in that order as `env.resource`.
# Here noise is made there and its mean taken off before it is added.


# %%
def jitter(src, env, ret, req, ctx):
    space = env.temp_space(src.shape, src.dtype)
    env.random().random(out=space)
    space -= space.mean()
    ng.assign(ret.get(), req, src.get() + space)


jittered = ng.register_simple_op("my_jitter").set_resource_request(["temp_space", "random"])
jittered.set_function("cpu", jitter)
noise = jittered(ng.zeros((4, 3), dtype="float64"))
assert abs(noise.asnumpy().sum()) < 1e-12

# %% [markdown]
# **Keyword parameters** are a class. Values are checked at the call and may be given as text.


# %%
class WindowParam(ng.Param):
    size: int = ng.field(lower=1, doc="Elements that are averaged.")


# %% [markdown]
# **Compiled functions** take bare arrays, then the parameters they name, then the request as a number.
# They run without the GIL, several at a time.


# %%
@njit
def moving_average(src, ret, size, req):
    for i in range(ret.size):
        total = 0.0
        for j in range(size):
            total += src[i + j]
        ret[i] = total / size + (ret[i] if req == 3 else 0.0)  # 3: add


averages = (
    ng.register_simple_op("my_moving_average")
    .set_enable_kwargs(WindowParam)
    .set_shape_function(lambda src, env: (src[0] - env.kwargs.size + 1,))
    .set_function("cpu", moving_average)
)
print(averages(np.arange(6.0), size="3"))
assert averages(np.arange(6.0), size=3).tolist() == [1, 2, 3, 4]

# %% [markdown]
# **Your own kernel on a GPU** is such a function as one of many threads runs it: `start` is the
# thread's first element, `step` the way to its next. On the host there is one thread, and the text
# serves both. (A `cuda.jit` kernel is taken, too, for shared memory and barriers; `launch=` says in
# how many blocks of how many threads.) The GPU below is an emulated one; a real one needs
# `pip install 'nbgraph[cuda13]'`.


# %%
@ng.thread_kernel
def moving_average(src, ret, size, req, start, step):
    for i in range(start, ret.size, step):
        total = 0.0
        for j in range(size):
            total += src[i + j]
        ret[i] = total / size + (ret[i] if req == 3 else 0.0)


averages.set_function(("cpu", "gpu"), moving_average)
with ng.config(gpu="emulated"):
    there = averages(ng.arange(6.0, device=ng.gpu()), size=3)
print(there.device, there)
assert there.asnumpy().tolist() == averages(np.arange(6.0), size=3).tolist() == [1, 2, 3, 4]

# %% [markdown]
# ## Mistakes are reported at once
#
# A form that is not understood is answered with those that are; an option at the wrong place, a
# parameter out of range and shapes that differ are named with the remedy.


# %%
def wrong_form(src, out):
    out[:] = src


def twice(lhs, rhs, env, ret, req, ctx):
    ng.assign(ret.get(), req, lhs.get() + rhs.get())


for attempt in (
    lambda: ng.register_simple_op("wrong").set_function("cpu", wrong_form),
    lambda: ng.register_simple_op("wrong").set_function("cpu", twice, ng.kInplaceInOut),
    lambda: ng.register_simple_op("right").set_function("cpu", twice)(np.ones(2), np.ones(3)),
    lambda: averages(np.ones(4), size=0),
    lambda: smooth_l1.grant(ng.gpu()),
):
    try:
        attempt()
    except ng.NbgraphError as error:
        print(f"{type(error).__name__}: {error}\n")
    else:
        raise AssertionError("this should have been refused")
