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
# # Profiling and debugging
#
# Operators on NDArrays return before they have run. This notebook shows how to see what ran, what was
# compiled, where memory goes, where a NaN came from, and which line a failure belongs to.

# %%
import numpy as np

import nbgraph as ng


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    return 0.5 * s2 * x * x if abs(x) < 1 / s2 else abs(x) - 0.5 / s2


# %% [markdown]
# ## What ran
#
# `ng.profile()` records the operations of the engine: a table when printed, a timeline in a notebook.

# %%
x = ng.array(np.linspace(-2, 2, 100_000, dtype="float32"))
with ng.profile() as profile:
    total = smooth_l1(x).sum().item()
    ng.engine.push(lambda run_ctx: None, name="save to disk").result()
assert "save to disk" in {row["operation"] for row in profile.to_dict()["operations"]}
profile

# %% [markdown]
# ## What was compiled
#
# The first call of an operator compiles it; `ng.compile_report()` lists kernels and their times.

# %%
ng.compile_report()

# %% [markdown]
# `explain()` shows the loop that was made of a function.

# %%
smooth_l1.explain()

# %% [markdown]
# ## Where memory goes
#
# A bound graph says what its passes changed, which steps it runs, and how many bytes it holds.

# %%
symbol = ng.sum(smooth_l1(ng.var("x") * ng.var("w")))
executor = symbol.simple_bind(x=(1000,), w=(1000,))
executor.passes()

# %%
executor.plan()

# %%
executor.memory()

# %% [markdown]
# ## A failure and its line
#
# A function that fails on a worker raises where somebody waits, with the line that pushed it.


# %%
def load(run_ctx):
    raise FileNotFoundError("prices.csv")


pending = ng.engine.push(load, name="load prices")
try:
    pending.result()
except FileNotFoundError as error:
    print(repr(error), "|", *error.__notes__)

# %% [markdown]
# ## Where a NaN came from
#
# With `anomaly=1` every operator's result is looked at, and the first NaN raises.

# %%
with ng.config(anomaly=1):
    try:
        ng.log(ng.array([1.0, -1.0])).wait_to_read()
    except FloatingPointError as error:
        print(error)

# %% [markdown]
# ## Forgotten dependencies
#
# The race detector runs a program in different orders and names functions that share data without
# saying so.


# %%
def program():
    shelf, out = [], []
    stock = ng.engine.new_variable("stock")
    ng.engine.push(lambda run_ctx: shelf.append(7), mutate_vars=[stock], name="stock up")
    ng.engine.push(lambda run_ctx: out.append(len(shelf)), name="count")
    ng.engine.wait_for_all()
    return out


race = ng.engine.find_race(program)
assert race is not None
print(race)

# %% [markdown]
# ## Step by step
#
# `ng.config(compiler="python")` runs the text of a function itself, so that `print` and a debugger
# work within it; `ng.engine.set("naive")` runs every operation where it is pushed. All frames of a
# traceback are shown with `ng.config(debug=1)`.

# %%
with ng.config(compiler="python"):
    print(smooth_l1(np.array([0.5, 3.0])))
