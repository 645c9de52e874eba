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
# # The dependency engine
#
# You push functions and say what each reads and writes. The engine runs them on threads of its own,
# as early and as much in parallel as that allows. Its rule: any two functions of which one writes a
# common variable run in the order they were pushed. It knows nothing of arrays: files, web requests,
# plain Python jobs and compiled kernels are all the same to it.

# %%
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from numba import cfunc

import nbgraph as ng
from nbgraph.engine.native_call import NativeCall

ng.engine.set("threaded", workers=2)
ng.engine.start()  # the first push does it otherwise

# %% [markdown]
# ## Variables are tokens
#
# A variable stands for anything that functions share. Here it stands for a file. Three functions
# append to it and run in order; the reader waits for all of them. Each push returns at once.

# %%
folder = Path(tempfile.mkdtemp())
path = folder / "diary.txt"
diary = ng.engine.new_variable("diary")


def append(line):
    def job(run_ctx):
        time.sleep(0.01)  # a slow disk
        with path.open("a") as file:
            file.write(line + "\n")

    return job


started = time.perf_counter()
for line in ("first", "second", "third"):
    ng.engine.push(append(line), mutate_vars=[diary], name=f"append {line}")
text = ng.engine.push(lambda run_ctx: path.read_text(), const_vars=[diary], name="read")
print(f"pushed after {1e3 * (time.perf_counter() - started):.2f} ms")
print(text.result().split(), f"after {1e3 * (time.perf_counter() - started):.0f} ms")

# %% [markdown]
# ## What does not conflict overlaps
#
# Four downloads (sleeps, so that nothing leaves this machine) write four variables; a summary reads
# all four. Nothing says "thread" or "lock" here.

# %%
pages, results = {}, []
parts = [ng.engine.new_variable(f"page {i}") for i in range(4)]
report = ng.engine.new_variable("report")


def download(i):
    def job(run_ctx):
        time.sleep(0.05)
        pages[i] = f"page {i}"

    return job


with ng.profile() as profile:
    started = time.perf_counter()
    for i, part in enumerate(parts):
        ng.engine.push(download(i), mutate_vars=[part], name="download")
    ng.engine.push(
        lambda run_ctx: results.append(sorted(pages.values())),
        const_vars=parts,
        mutate_vars=[report],
        name="summary",
    )
    ng.engine.wait_for_var(report)
    print(results[-1], f"{1e3 * (time.perf_counter() - started):.0f} ms instead of 200")

# %% [markdown]
# ## See it
#
# A profile gives a table, a timeline, and a trace for Perfetto (https://ui.perfetto.dev).

# %%
profile.save(folder / "trace.json")
print(profile)
profile

# %% [markdown]
# ## Functions that wait for something else
#
# A function that waits holds a worker. `push_async` does not: the function returns at once, and the
# operation ends when `on_complete` is called, from whatever thread. A result can also be awaited.

# %%
answer = ng.engine.new_variable("answer")
box = []


def ask(run_ctx, on_complete):
    def later():
        box.append(42)
        on_complete()

    threading.Timer(0.02, later).start()


asked = ng.engine.push_async(ask, mutate_vars=[answer], name="ask")
got = ng.engine.push(lambda run_ctx: box[-1], const_vars=[answer], name="use")
print("before:", got, "- after:", await got)

# %% [markdown]
# ## Errors go where the data goes
#
# What a function raises is kept on the variables it writes. What reads them is skipped; the next wait
# on any of them raises the error, once, with the line that pushed the function. Nothing else is touched.

# %%
source, copy, other = (ng.engine.new_variable(name) for name in ("source", "copy", "other"))


def load(run_ctx):
    raise FileNotFoundError("numbers.csv")


ng.engine.push(load, mutate_vars=[source], name="load")
ng.engine.push(lambda run_ctx: print("never runs"), const_vars=[source], mutate_vars=[copy])
ng.engine.push(lambda run_ctx: print("runs"), mutate_vars=[other])
ng.engine.wait_for_var(other)
try:
    ng.engine.wait_for_var(copy)
except FileNotFoundError as error:
    print(repr(error), "|", *error.__notes__)
ng.engine.wait_for_all()  # it has been raised: nothing is left

# %% [markdown]
# ## Kernels
#
# A compiled kernel needs no Python between the push and the end. `new_operator` lays one out once;
# pushing it again costs a fraction of a microsecond.

# %%


@cfunc("int64(int64,int64,int64)")
def nothing(args, lo, hi):
    return 0


total = ng.engine.new_variable("total")
operator = ng.engine.new_operator(
    NativeCall(nothing.address, [0], 1, cost=100), mutate_vars=[total]
)
count = 20_000
started = time.perf_counter()
for _ in range(count):
    operator.push()
ng.engine.wait_for_var(total)
print(f"{1e6 * (time.perf_counter() - started) / count:.2f} us each, version {total.version}")

# %% [markdown]
# ## A race, found
#
# The engine trusts what functions declare. `average` reads `data` and does not say so. On most days
# it works. `find_race` runs the program under the chaos engine, which runs ready work in seeded random
# order, and names the two functions, their lines and the variable that was not declared.


# %%
def program():
    values = np.ones(4)
    data, mean = ng.engine.new_variable("data"), ng.engine.new_variable("mean")
    found = []

    def double(run_ctx):
        values[:] *= 2

    def average(run_ctx):
        found.append(values.mean())

    ng.engine.push(double, mutate_vars=[data])
    ng.engine.push(average, mutate_vars=[mean])  # const_vars=[data] is missing
    ng.engine.wait_for_all()
    return found


race = ng.engine.find_race(program)
print(race)

# %% [markdown]
# ## What is going on?
#
# `dump()` tells who waits for whom, at any moment; `stats()` counts.

# %%
gate = threading.Event()
ng.engine.push(lambda run_ctx: gate.wait(10), mutate_vars=[source], name="hold")
ng.engine.push(lambda run_ctx: None, const_vars=[source], mutate_vars=[copy], name="copy")
print(ng.engine.dump())
gate.set()
ng.engine.wait_for_all()
print(ng.engine.stats())

# %%
assert results[-1] == [f"page {i}" for i in range(4)]
assert total.version == count
assert race is not None and "data" in str(race)
