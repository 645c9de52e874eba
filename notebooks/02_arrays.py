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
# # Arrays that do not wait
#
# An `NDArray` is used as a NumPy array is. The difference is when things happen: an operator returns
# at once, with an array whose values are still on their way, and whatever needs values waits for
# them. The dependency engine of notebook 03 keeps the order.

# %%
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import nbgraph as ng

ng.engine.set("threaded", workers=2)
ng.engine.start()  # the first operator does it otherwise

# %% [markdown]
# ## Made, seen, changed
#
# Creation functions and methods have NumPy's names. Python floats become float32 (`default_float` in
# `ng.config`), NumPy arrays keep their dtype. `ng.array` copies.

# %%
a = ng.arange(12, dtype="float32").reshape(3, 4)
print(ng.array([1.0, 2.5]).dtype, ng.array(np.zeros(2)).dtype, ng.linspace(0, 1, 5))
a

# %% [markdown]
# Slices are views: they share memory, and a write is seen through every one of them. Indexing with
# masks and integers copies, as in NumPy. `+=` writes the memory that is there.

# %%
row, column, picked = a[1], a[:, 0], a[a > 9]
row += 100
column[:] = -1
print(a)
print(row, picked, a.T[0])
assert row.tolist() == [-1, 105, 106, 107] and picked.tolist() == [10, 11]

# %% [markdown]
# ## Nothing waits until you look
#
# To see it we make something slow. Every array has an engine variable. A function that says it
# writes that variable is put in line with the array's operators; this one ends when we open a gate.

# %%
x = ng.ones(4)
gate = threading.Event()


def slow(run_ctx):
    gate.wait(60)


ng.engine.push(slow, mutate_vars=[x.variable], name="slow")
y = x * 2 + 1
total = y.sum()
print(f"asked for: {y.shape} {y.dtype}, {total.shape} {total.dtype}")  # known without values
print(ng.engine.dump())  # who waits for whom

# %%
threading.Timer(0.1, gate.set).start()
started = time.perf_counter()
value = total.item()
print(f"{value}, after {1e3 * (time.perf_counter() - started):.0f} ms")
assert value == 12

# %% [markdown]
# These wait, each for its own array only: `asnumpy()`, `item()`, `tolist()`, `wait_to_read()`,
# printing, `bool` (so `if x > 0:`), `float` and `int`, `np.asarray`, a mask as index (its result's
# shape depends on values), and files. `ng.waitall()` waits for everything.
#
# Shapes and dtypes are worked out at the call. What does not fit is refused there, on your line.

# %%
try:
    ng.zeros((2, 3)) + ng.zeros(4)
except ng.ShapeError as error:
    print(error)

# %% [markdown]
# ## When something goes wrong later
#
# A function that fails on a worker cannot raise on your line any more. Its error stays with what it
# should have written, goes on to what is computed from that, and is raised where you wait, with
# the line that pushed it. Showing such an array shows the error. New values end it.

# %%
weights = ng.zeros(3)


def load(run_ctx):
    raise FileNotFoundError("weights.bin")


ng.engine.push(load, mutate_vars=[weights.variable], name="load")
scaled = weights * 10
print(scaled)
try:
    scaled.asnumpy()
except FileNotFoundError as error:
    print(repr(error), "|", *error.__notes__)
else:
    raise AssertionError("the error should have been raised here")

weights[:] = 1
print(weights * 10)

# %% [markdown]
# ## Your operators, and NumPy's functions
#
# An operator made by `@ng.op` takes NDArrays as it takes NumPy arrays, and gives the same bits.
# NumPy's own functions hand NDArrays back to nbgraph, so that nothing is copied or waited for.


# %%
@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if abs(x) < 1 / s2:
        return 0.5 * s2 * x * x
    return abs(x) - 0.5 / s2


values = np.linspace(-2, 2, 1001)
loss = smooth_l1(ng.array(values), sigma=2.0)
assert (loss.asnumpy() == smooth_l1(values, sigma=2.0)).all()
print(type(np.add(a, a)).__name__, np.concatenate([a, a]).shape, np.sin(a).dtype)

# %% [markdown]
# `ng.nd` holds every operator; a name that is not there is answered with the nearest.

# %%
try:
    ng.nd.maximun(a, 0)
except AttributeError as error:
    print(error)

# %% [markdown]
# ## Memory goes round
#
# A loop that makes arrays does not ask the system for memory again and again. The memory of an array
# that is gone is taken by the next one of its size, even while kernels still use it: the engine lets
# the new ones run behind them.

# %%
big = ng.ones(100_000)
for _ in range(20):  # until the loop has the blocks it needs
    big = big * 0.5 + 1
before = ng.storage.stats()
for _ in range(1000):
    big = big * 0.5 + 1
ng.waitall()
after = ng.storage.stats()
hits, takes = after.hits - before.hits, after.takes - before.takes
print(f"{takes} blocks taken, {hits} of them again; most at once {after.peak >> 10} KiB")
assert hits > 0.95 * takes
after

# %% [markdown]
# ## Shared with others
#
# DLPack passes memory between libraries without a copy. What is lent is not written by nbgraph until
# the other side lets go of it; what is borrowed is only read. Both would be surprises.

# %%
lent = np.from_dlpack(a)
try:
    a += 1
except ValueError as error:
    print(error)
del lent
a += 1

borrowed = ng.from_dlpack(np.arange(3.0))
try:
    borrowed += 1
except ValueError as error:
    print(error)
print(borrowed + 1)

# %% [markdown]
# Files hold a list or a dict of arrays. They are npz archives, which NumPy reads as well.

# %%
path = Path(tempfile.mkdtemp()) / "weights.npz"
ng.save(path, {"a": a, "x": x})
again = ng.load(path)
assert (again["a"] == a).all() and sorted(again) == ["a", "x"]

# %% [markdown]
# ## Code for any array library
#
# `ng.xp` is a namespace with the names of the Array API standard. A function written for the standard
# asks its argument for the namespace, and serves NumPy arrays and NDArrays alike.


# %%
def softmax(x):
    xp = x.__array_namespace__()
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


logits = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
ours = softmax(ng.array(logits))
print(ours)
np.testing.assert_allclose(ours.asnumpy(), softmax(logits))

# %% [markdown]
# What was shown: arrays with NumPy's behaviour whose operators return before they have run, errors
# that are raised where one waits, memory that goes round, and other libraries' functions on them.
# Gradients are in notebook 05.
