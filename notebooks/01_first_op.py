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
# # A first operator
#
# You write a function of one number, with `if` and loops as you like. You get an operator over
# arrays: compiled, with exact derivatives that were checked, and with an account of what was made
# of your text. Every cell can be run again.

# %%
import math
import sys
import time

import numpy as np
from numba import njit

import nbgraph as ng

# %% [markdown]
# ## One function
#
# The smooth L1 loss: quadratic near zero, linear far from it. Arrays come first, scalar parameters
# after the bare `*`.


# %%
@ng.op
def smooth_l1(x, *, sigma=1.0):
    """Quadratic for |x| < 1 / sigma**2, linear beyond."""
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    elif x < -1 / s2:
        return -x - 0.5 / s2
    else:
        return 0.5 * s2 * x * x


smooth_l1  # the function and its slope, drawn without compiling anything

# %% [markdown]
# It follows NumPy's rules for operators: broadcasting, `out=`, `where=`, `dtype=`, lists and numbers.
# float32 in gives float32 out; the literals in the text do not change that.

# %%
x = np.linspace(-3, 3, 7, dtype=np.float32)
y = smooth_l1(x)
print(y, y.dtype)

out = np.zeros_like(x)
smooth_l1(x, out=out, where=x > 0)  # only where the mask holds; the rest of `out` stays
print(out)

print(smooth_l1([1, 2, 3]).dtype, smooth_l1(x, dtype=np.float64).dtype, smooth_l1(x, sigma=2.0))
assert y.dtype == np.float32 and (out[:4] == 0).all()

# %% [markdown]
# ## Derivatives
#
# `derivative` gives an operator again, with the same signature. Only the branch taken counts: the
# other one may be infinite or undefined without harm, which is what goes wrong with `where`.

# %%
slope = smooth_l1.derivative("x")
curvature = smooth_l1.derivative("x", order=2)
print(slope(x), curvature(x))

# %%
grid = np.linspace(-2.9, 2.9, 400)
h = 1e-6
differences = (smooth_l1(grid + h) - smooth_l1(grid - h)) / (2 * h)
np.testing.assert_allclose(slope(grid), differences, atol=1e-6)


@ng.op
def safe_root(x):
    return math.sqrt(x) if x > 0 else 0.0


assert safe_root.derivative()([0.0, 4.0]).tolist() == [0.0, 0.25]  # no NaN at 0

# %% [markdown]
# Parameters can be differentiated too, and one point can be looked at closely: which conditions
# held, the value, the partials.

# %%
print(smooth_l1.derivative("sigma")(0.3, sigma=1.0))
smooth_l1.at_point(x=-2.0)

# %% [markdown]
# ## What backward has to keep
#
# A backward pass turns the gradient of the output into that of the operands. What it must keep for
# that is read off the derivative:
#
# | class | backward reads | so |
# |---|---|---|
# | T0 | nothing but the incoming gradient | everything may be freed |
# | T1 | the output | the operands may be freed, or overwritten by the output |
# | T2 | operands | these are kept |

# %%
scaled = ng.op(lambda x: 3 * x + 1)
sigmoid = ng.op(lambda x: 1 / (1 + math.exp(-x)), name="sigmoid")
square = ng.op(lambda x: x * x)

for op in (scaled, sigmoid, square):
    (row,) = op.explain().dependence
    print(f"{row['class']}  {row['why']}")

# %% [markdown]
# ## What was made of it
#
# `explain()` shows the derivative as Python text, what may happen in place, the dtypes, whether the
# machine code is vectorised (read off the assembly), the certificate of the derivative, and why.

# %%
explanation = smooth_l1.explain()
explanation

# %%
print(explanation.derivatives["x"])
print(explanation.simd)
assert explanation.dependence[0]["class"] == "T2"
assert explanation.simd.vectorised

# %% [markdown]
# ## A gradient by hand
#
# You may know a better formula. Its parameters' names say what backward has to keep. A wrong one
# does not get far: it is compared with the derived gradient, on both sides of every branch.


# %%
@ng.op
def swish(x):
    return x / (1 + math.exp(-x))


try:

    @swish.gradient
    def _(out_grad, out, x):
        s = 1 / (1 + math.exp(-x))
        return out_grad * (s + x * s)  # forgot a factor

except ng.CertificateError as error:
    caught = str(error)
    print(caught)


# %%
@swish.gradient
def _(out_grad, out, x):
    s = 1 / (1 + math.exp(-x))
    return out_grad * (s + out * (1 - s))


print(swish.derivative()([0.0, 2.0]))
assert "wrong" in caught

# %% [markdown]
# ## Loops
#
# Kepler's equation `E - e sin E = m`, by Newton's iteration: as many trips as each element needs.
# The derivative goes through the loop. By the implicit function theorem it is `1 / (1 - e cos E)`.


# %%
@ng.op
def kepler(m, e):
    """Eccentric anomaly of mean anomaly m and eccentricity e."""
    E = m + e * math.sin(m)
    for _ in range(30):
        step = (E - e * math.sin(E) - m) / (1 - e * math.cos(E))
        E = E - step
        if abs(step) < 1e-12:
            break
    return E


m = np.linspace(0, 2 * np.pi, 1000)
E = kepler(m, 0.3)
np.testing.assert_allclose(E - 0.3 * np.sin(E), m, atol=1e-12)
np.testing.assert_allclose(kepler.derivative("m")(m, 0.3), 1 / (1 - 0.3 * np.cos(E)), rtol=1e-9)
print(kepler.explain().simd)
kepler.at_point(m=1.0, e=0.3)

# %% [markdown]
# ## Looking inside
#
# With `compiler="python"` your text runs as it is, element by element: a debugger stops at your
# breakpoints. It is also what the compiled code is tested against. Here a trace function stands for
# the debugger.

# %%
seen = []


def debugger(frame, event, result):
    if frame.f_code.co_name == "smooth_l1" and event == "return":
        seen.append((float(frame.f_locals["x"]), float(result)))
    return debugger


before = sys.gettrace()
with ng.config(compiler="python"):
    sys.settrace(debugger)
    by_python = smooth_l1(x)
    sys.settrace(before)

print(seen)
assert [value for _, value in seen] == smooth_l1(x).tolist()

# %% [markdown]
# ## In your own compiled code
#
# An operator can be called from an `@njit` function, as a function of numbers.


# %%
@njit
def total_loss(residuals):
    total = 0.0
    for r in residuals:
        total += smooth_l1(r)
    return total


residuals = np.random.default_rng(0).normal(size=1000)
np.testing.assert_allclose(total_loss(residuals), smooth_l1(residuals).sum())

# %% [markdown]
# ## Speed
#
# Against NumPy's way to write branches: `where`, which computes all sides and many temporaries.


# %%
def by_where(x):
    return np.where(
        x > 1, x - np.float32(0.5), np.where(x < -1, -x - np.float32(0.5), np.float32(0.5) * x * x)
    )


def best(function, *arguments, repeat=30, **options):
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        function(*arguments, **options)
        times.append(time.perf_counter() - started)
    return min(times)


big = np.random.default_rng(1).normal(scale=2, size=100_000).astype(np.float32)
out = np.empty_like(big)
np.testing.assert_allclose(smooth_l1(big), by_where(big), rtol=1e-6)
ratio = best(by_where, big) / best(smooth_l1, big, out=out)
print(f"{ratio:.1f} times as fast as np.where")
assert ratio > 2

# %% [markdown]
# ## Functions of a row
#
# What looks at a whole row is written for one row, as for a one-dimensional NumPy array. Elements and
# totals make one kernel, along any axis; the gradient is another one, derived and certified.


# %%
@ng.row_op
def standardised(x, *, eps=1e-5):
    away = x - x.mean()
    return away / np.sqrt((away * away).mean() + eps)


rows = np.random.default_rng(2).normal(size=(3, 100))
np.testing.assert_allclose(standardised(rows).std(axis=1), 1, rtol=1e-4)
print(standardised.explain())

# %%
slope = np.asarray(ng.grad(lambda x: (standardised(x) ** 3).sum())(rows))
step = 1e-6 * np.eye(100)[7]
ahead, behind = ((standardised(rows[0] + s) ** 3).sum() for s in (step, -step))
assert abs(slope[0, 7] - (ahead - behind) / 2e-6) < 1e-6

# %% [markdown]
# ## The cache
#
# Compiled code is kept on disk, found by content: the next process, or this notebook after a
# restart, does not compile again. A changed text, or a changed helper, is noticed at the next call.

# %%
print(ng.cache.info())

# %%
rate = 2.0
grow = ng.op(lambda x: rate * x)
before = float(grow(1.0))
rate = 3.0
after = float(grow(1.0))
assert (before, after) == (2.0, 3.0)

# %% [markdown]
# What was shown: one plain text gave values in NumPy's manner, first and second derivatives that
# agree with differences, what backward keeps, a wrong gradient refused, a loop differentiated,
# code faster than `where`, and a function of a row.
