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
# # Training
#
# Notebook 05 ended with a fit written by hand. Here is what makes it short: modules, which hold
# parameters; optimizers, which change them; and `fit`, which goes through the data. None of these
# computes anything by itself: they put operators together.

# %%
import math

import numpy as np
from sklearn.datasets import load_digits

import nbgraph as ng
from nbgraph import nn

# %% [markdown]
# ## A module
#
# `forward` says what a call computes. Arrays that are attributes are parameters, modules that are
# attributes are parts. Sizes that are not given are known after the first call.


# %%
class Reader(nn.Module):
    def __init__(self, hidden):
        self.first = nn.Dense(hidden, ng.tanh)
        self.drop = nn.Dropout(0.2)
        self.last = nn.Dense(10)

    def forward(self, x):
        return self.last(self.drop(self.first(x)))


ng.random.seed(0)
reader = Reader(64)
print(reader)
reader(ng.zeros((1, 64)))
print(reader.summary())
assert list(reader.parameters()) == ["first.weight", "first.bias", "last.weight", "last.bias"]

# %% [markdown]
# ## Steps by hand
#
# Record, go backward, step. Nothing in the loop waits: the numbers are looked at after it. Within
# `record()` one trains, so `Dropout` drops; outside it does nothing.

# %%
source = load_digits()
images, labels = (source.data / 16).astype("float32"), source.target
order = np.random.default_rng(0).permutation(len(images))
train, test = order[360:], order[:360]

optimizer = ng.optim.SGD(reader, 0.3, momentum=0.5)
losses = []
for x, y in nn.Batches(images[train], labels[train], batch_size=64):
    with ng.autograd.record():
        loss = ng.cross_entropy(reader(ng.array(x)), ng.array(y))
    loss.backward()
    optimizer.step()
    losses.append(loss)
print([round(loss.item(), 2) for loss in losses])
assert losses[-1].item() < losses[0].item()

# %% [markdown]
# ## `fit`
#
# The same, in epochs, with metrics and a look at other data after each. A step is one compiled
# graph: forward, backward, metrics. Each row of the history is one wait.


# %%
def fresh():
    ng.random.seed(1)
    return Reader(64)


def fitted(model, epochs, **options):
    return nn.fit(
        model,
        nn.Batches(images[train], labels[train], batch_size=64),
        loss=options.pop("loss", ng.cross_entropy),
        optimizer=lambda m: ng.optim.Adam(m, 5e-3),
        epochs=epochs,
        metrics=[nn.metrics.accuracy],
        validation=(images[test], labels[test]),
        progress=False,
        **options,
    )


history = fitted(fresh(), 12)
print(history)
assert history["val_accuracy"][-1] > 0.95
history

# %% [markdown]
# ## A loss of your own
#
# A scalar function is a loss, as it is an activation: its slope comes from its text. Here a score
# should be above 1 for the right digit and below -1 for the others; beyond that it costs nothing.


# %%
@ng.op
def margin(score, wanted):
    missing = 1 - score if wanted > 0.5 else 1 + score
    return missing * missing if missing > 0 else 0.0


@ng.op
def bent(x):
    return x / (1 + math.exp(-1.5 * x))


model = fresh()
model.first.activation = bent
own = fitted(model, 12, loss=lambda out, y: margin(out, ng.one_hot(y, 10)).sum(axis=-1))
print(own)
assert own["val_accuracy"][-1] > 0.95

# %% [markdown]
# ## Stop and go on
#
# Press the stop button (Ctrl-C) while `fit` runs: it ends after the step under way and says so. A
# script gets the history so far; a notebook's cell raises, so that "Run all" stops there. With `checkpoint=` all that the next step depends on is in a file after each epoch,
# and after an interrupt: weights, the optimizer's means, the place in the data, the random numbers.
# So a training that goes on has the same bits as one that was never stopped. Here the loss sends
# the interrupt, when the first step is traced.

# %%
import signal
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())


def interrupting(out, y):
    signal.raise_signal(signal.SIGINT)
    return ng.cross_entropy(out, y)


def run(model, loss=ng.cross_entropy, checkpoint=folder / "checkpoint"):
    return nn.fit(
        model,
        nn.Batches(images[train], labels[train], batch_size=64),
        loss=loss,
        optimizer=lambda m: ng.optim.Adam(m, 5e-3),
        epochs=3,
        checkpoint=checkpoint,
        progress=False,
    )


try:
    run(fresh(), interrupting)
except KeyboardInterrupt as interrupt:
    print(interrupt)
stopped = fresh()
resumed = run(stopped)
whole = fresh()
straight = run(whole, checkpoint=None)
assert resumed["loss"] == straight["loss"]
for name, array in whole.parameters().items():
    assert (array == stopped.parameters()[name]).all(), name

# %% [markdown]
# ## Keep the model
#
# `save` writes parameters (and moving averages, if there are any) to an npz file, or in
# safetensors' format if the name ends so. `hybridize` has calls run as one graph from then on.

# %%
whole.save(folder / "reader.npz")
again = Reader(64).load(folder / "reader.npz").hybridize()
x = ng.array(images[test])
print(nn.metrics.accuracy(again(x), ng.array(labels[test])))
print(nn.metrics.confusion(again(x), ng.array(labels[test]), 10))
assert np.allclose(again(x), whole(x), atol=1e-5)
