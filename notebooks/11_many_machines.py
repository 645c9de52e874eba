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
# # Many machines
#
# A store keeps parameters by key. Workers push gradients and pull weights; what adds the gradients
# up, and takes the step, is the store. Here it is on one machine first, then on processes of a Dask
# cluster, of which one dies.

# %%
import os
import signal
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import nbgraph as ng

# %% [markdown]
# ## One process
#
# Arrays of several devices are summed in the order in which they come. Without an updater the sum
# is what is stored; with one, it decides.

# %%
kv = ng.kv.create("local")
kv.init("w", ng.ones((2, 3)))
kv.push("w", [ng.ones((2, 3))] * 4)
print(kv.pull("w"))

kv.set_optimizer(ng.optim.SGD(lr=0.5))
kv.push("w", ng.ones((2, 3)))
print(kv.pull("w"))
assert kv.pull("w").tolist() == [[3.5] * 3] * 2

# %% [markdown]
# ## Two processes
#
# `cluster` starts workers on this machine, or joins those that are there (`address=`, `client=`).
# `run` calls a function on each of them, with its rank. In it `dist_sync` is the store that they
# share: a pull sees the pushes of all workers, added in the order of ranks.


# %%
def share(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(3))
    kv.push("w", ng.full(3, 10.0**rank, dtype="float32"))
    return kv.pull("w").tolist()


cluster = ng.kv.cluster(workers=2)
print(cluster.run(share))

# %% [markdown]
# ## A training that loses a worker
#
# Each worker reads its own part of the digits, and `fit` takes the step of the mean of all
# gradients. After every epoch the round is kept in a folder. The second worker kills its process after
# the second epoch, once: with `on_loss="wait"` the job begins again from the round that is kept. Dask
# writes its log below the cell: a process restarted, and what the other worker then waited for.

# %%
pixels, digits = load_digits(return_X_y=True)
pixels = (pixels / 16).astype("float32")
digits = digits.astype("int64")


def train(rank, epochs, killed):
    kv = ng.kv.create("dist_sync")
    ng.random.seed(0)
    model = ng.nn.Sequential(ng.nn.Dense(32, ng.tanh), ng.nn.Dense(10))
    data = ng.io.NDArrayIter(
        pixels[:1024], digits[:1024], batch_size=64, shuffle=True, part=rank, of=kv.num_workers
    )
    done = 0
    if kv.position is not None:  # the job goes on from a round
        done = kv.position["epochs"]
        data.load_state_dict(kv.position["data"])

    def after(training):
        kv.checkpoint({"epochs": done + training.epoch + 1, "data": data.state_dict()})
        if killed is not None and rank == 1 and done + training.epoch == 1 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    ng.nn.fit(
        model,
        data,
        loss=ng.nn.metrics.cross_entropy,
        optimizer=lambda m: ng.optim.Adam(m, lr=0.01),
        epochs=epochs - done,
        callbacks=after,
        kvstore=kv,
        progress=False,
    )
    weights = [p.tolist() for p in model.parameters().values()]
    found = ng.nn.predict(model, pixels[1024:]).asnumpy().argmax(axis=1)
    return done, weights, float((found == digits[1024:]).mean())


folder = Path(tempfile.mkdtemp())
whole = cluster.run(train, 4, None, checkpoint=folder / "whole")
broken = cluster.run(train, 4, folder / "killed", checkpoint=folder / "job", on_loss="wait")
print(f"began with epoch {whole[0][0]}, and with epoch {broken[0][0]} after the loss")
print(f"right: {whole[0][2]:.3f} and {broken[0][2]:.3f}")
assert broken[0][0] == 2
assert [w for _, w, _ in broken] == [w for _, w, _ in whole]

# %% [markdown]
# Both workers have the same weights, and the training that lost one has the bits of the one that
# did not. With `on_loss="shrink"` it goes on with the workers that are left; by default it ends
# with an error that names the worker.

# %%
cluster.close()
