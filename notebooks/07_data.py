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
# # Data
#
# A source gives samples by their numbers: a table, a folder, a file of records, an array. One
# iterator makes batches of any of them, in a seeded order, whatever fits into memory, and makes
# them while the model computes. This notebook takes pyarrow, Pillow, Dask and scikit-learn:
# `pip install "nbgraph[data,dist]"`.

# %%
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet
from PIL import Image
from sklearn.datasets import load_digits

import nbgraph as ng
from nbgraph import io, nn

T = io.transforms
folder = Path(tempfile.mkdtemp())

# %% [markdown]
# ## A CSV file with holes
#
# Columns are asked for by name; names side by side make one array. A hole is an error that says
# where it is, unless a value is stated for it.

# %%
table = folder / "flowers.csv"
table.write_text("""length,width,kind
5.1,3.5,setosa
4.9,,setosa
7.0,3.2,versicolor
6.3,NA,virginica
""")
columns = {
    "data": ["length", "width"],
    "label": "kind",
    "classes": ["setosa", "versicolor", "virginica"],
    "batch_size": 4,
}
try:
    io.CSVIter(table, **columns).next()
except ng.DataError as error:
    print(error)
else:
    raise AssertionError("a hole is an error")

# %%
it = io.CSVIter(table, missing={"width": 3.0}, **columns)
x, y = it.next()
print(x)
assert x[:, 1].tolist() == np.float32([3.5, 3.0, 3.2, 3.0]).tolist() and y.tolist() == [0, 0, 1, 2]
it.peek()

# %% [markdown]
# Rows that cannot be read at all are left out if one says so, and counted.

# %%
with table.open("a") as file:
    file.write("broken,3.0,setosa\n6.0\n6.1,2.9,versicolor\n")
it = io.CSVIter(table, missing=0.0, on_error="skip", last_batch_handle="keep", **columns)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    kept = [n for batch in it for n in batch.index.tolist()]
print(told[0].message)
assert kept == [0, 1, 2, 3, 6]

# %% [markdown]
# ## A Parquet file larger than the memory for it
#
# The file holds 96 MiB of numbers in row groups of 3 MiB. The iterator mixes the rows of two row
# groups at a time, in a random order of all of them, and two such windows are in memory at most:
# the process may grow by 48 MiB.

# %%
LIMIT, ROWS, GROUP = 48, 3 * 2**18, 3 * 2**13  # MiB, rows, rows of a group
path = folder / "large.parquet"
schema = pa.schema({"x": pa.list_(pa.float32(), 32), "n": pa.int64()})
with pyarrow.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
    for low in range(0, ROWS, GROUP):
        n = np.arange(low, low + GROUP)
        values = np.repeat(n.astype("float32"), 32)
        values = pa.FixedSizeListArray.from_arrays(pa.array(values), 32)
        file.write_table(pa.Table.from_arrays([values, pa.array(n)], schema=schema), GROUP)
size = path.stat().st_size / 2**20
assert size > 2 * LIMIT


def resident():
    """MiB of this process that are in memory."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


it = io.ParquetIter(path, "x", "n", batch_size=1024, shuffle=True, window=2, seed=5)
it.next()  # what the libraries need themselves is there from now on
before = most = resident()
seen = np.zeros(ROWS, int)
it.reset()
for x, n in it:
    numbers = n.asnumpy()
    seen[numbers] += 1
    assert (x.asnumpy()[:, -1] == numbers).all()
    most = max(most, resident())
print(f"{size:.0f} MiB in a file, {most - before:.0f} MiB more in memory")
assert (seen == 1).all()
assert most - before < LIMIT

# %% [markdown]
# ## A gradient over an array larger than memory
#
# An operator on a Dask array is lazy and goes block by block, and so are reductions and gradients:
# `ng.value_and_grad` gives Dask arrays. The gradient of a parameter is a sum over blocks, that of
# the data has the data's chunks and can be written block by block. Here 128 blocks of 1 MiB are
# made when they are read; value and gradients are computed together, each block once, and the
# process grows by a few blocks.

# %%
BLOCKS, ROWS = 128, 2**15
weights = np.arange(1, 8, dtype="float32") / 8


def block(block_info=None):
    """Rows of seven features and what is to be predicted of them."""
    (number, _) = block_info[None]["chunk-location"]
    x = np.random.default_rng(number).normal(size=(ROWS, 8)).astype("float32")
    x[:, 7] = x[:, :7] @ weights
    return x


@ng.op
def huber(error, *, width=1.0):
    size = abs(error)
    return error * error / 2 if size < width else width * (size - width / 2)


def loss(w, table):
    return ng.mean(huber(ng.matmul(table[:, :7], w) - table[:, 7]))


table = da.map_blocks(block, chunks=((ROWS,) * BLOCKS, (8,)), dtype="float32")
w = np.zeros(7, "float32")
dask.compute(*ng.value_and_grad(loss)(w, table.blocks[:2]))  # what is compiled stays in memory
before = most = resident()
for _ in range(4):
    value, gradient = ng.value_and_grad(loss)(w, table)  # nothing is computed yet
    value, gradient = dask.compute(value, gradient, scheduler="synchronous")
    print(f"loss {value:.4f}")
    w -= gradient
    most = max(most, resident())
print(f"{table.nbytes / 2**20:.0f} MiB of data, {most - before:.0f} MiB more in memory")
assert abs(w - weights).max() < 0.1
assert most - before < LIMIT

# %% [markdown]
# ## A folder of images, packed and augmented
#
# scikit-learn's digits as a folder of pictures, a folder for each class. `python -m nbgraph.io pack`
# puts them into one file of records, in the format that MXNet reads, and `show` prints one.

# %%
digits = load_digits()
for k, (image, digit) in enumerate(zip(digits.images, digits.target)):
    place = folder / ("test" if k % 5 == 0 else "train") / str(digit)
    place.mkdir(parents=True, exist_ok=True)
    Image.fromarray((image * 15.9).astype("uint8")).save(place / f"{k}.png")


def tool(*arguments):
    command = [sys.executable, "-m", "nbgraph.io", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


for name in ("train", "test"):
    packed = tool("pack", folder / name, folder / f"{name}.rec", "--shuffle", "--verify")
    print(packed.splitlines()[-1])
print(tool("show", folder / "train.rec", 0, "--width", 16))

# %% [markdown]
# What is random about an augmentation is a function of seed, epoch and the number of the sample. So
# neither threads nor batches nor reading ahead change a number; `peek` shows a batch as the model
# gets it.

# %%
augment = [
    T.RandomAffine(degrees=10, translate=0.1, scale=(0.9, 1.1)),
    T.RandomBrightness(0.2),
    T.ToTensor(),
]


def pictures(name, transforms, **options):
    return io.RecordIter(folder / f"{name}.rec", 64, mode="L", transforms=transforms, **options)


train = pictures("train", augment, shuffle=True, seed=3, prefetch=2)
plain = pictures("train", augment, shuffle=True, seed=3, prefetch=0)
for ours, theirs in zip(train, plain):
    assert (ours.data[0] == theirs.data[0]).all() and ours.index.tolist() == theirs.index.tolist()
train.peek()

# %%
test = pictures("test", [T.ToTensor()])


class Reader(nn.Module):
    def __init__(self):
        self.first = nn.Conv2d(16, 3, ng.relu)
        self.second = nn.Conv2d(32, 3, ng.relu)
        self.last = nn.Dense(10)

    def forward(self, x):
        x = ng.max_pooling(self.second(self.first(x)), 2)
        return self.last(x.reshape(x.shape[0], -1))


def loss(scores, label):
    return ng.cross_entropy(scores, label.astype("int64"))


ng.random.seed(0)
model = Reader()
history = nn.fit(
    model,
    train,
    loss=loss,
    optimizer=lambda m: ng.optim.Adam(m, 5e-3),
    epochs=8,
    metrics=[nn.metrics.accuracy],
    validation=test,
    progress=False,
)
print(history)
assert history["val_accuracy"][-1] > 0.9

# %% [markdown]
# Where the time of a step went, and whether the model waits for data:

# %%
train.report()

# %% [markdown]
# ## A crash, and on with the same bits
#
# A program that trains is killed in the middle of its second epoch: not interrupted, but killed as
# by a power cut. Its checkpoint, written every 5 steps, holds the place in the data as well. Started
# again it goes on from there, and ends with the weights of a run that nobody killed.

# %%
program = folder / "train.py"
program.write_text("""
import os, signal, sys
import nbgraph as ng
from nbgraph import io, nn

T = io.transforms
records, out, fatal = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = io.RecordIter(
    records, 64, mode="L", shuffle=True, seed=9, prefetch=2, last_batch_handle="keep",
    transforms=[T.RandomAffine(degrees=10, translate=0.1), T.ToTensor()],
)
ng.random.seed(1)
model = nn.Sequential(nn.Flatten(), nn.Dense(32, ng.tanh), nn.Dense(10))


class Fatal(nn.callbacks.Callback):
    def on_batch_end(self, training):
        if training.step == fatal:
            os.kill(os.getpid(), signal.SIGKILL)


nn.fit(
    model, data, epochs=3, progress=False,
    loss=lambda scores, label: ng.cross_entropy(scores, label.astype("int64")),
    optimizer=lambda m: ng.optim.Adam(m, 5e-3),
    callbacks=[nn.callbacks.Checkpoint(out + ".checkpoint", steps=5), Fatal()],
)
model.save(out + ".npz")
""")


def run(name, fatal=-1):
    command = [sys.executable, program, folder / "train.rec", folder / name, fatal]
    return subprocess.run([str(part) for part in command], check=False).returncode


assert run("whole") == 0
assert run("killed", fatal=33) == -9
assert not (folder / "killed.npz").exists()
assert run("killed") == 0
whole, killed = np.load(folder / "whole.npz"), np.load(folder / "killed.npz")
assert whole.files == killed.files and len(whole.files) >= 4
for name in whole.files:
    assert np.array_equal(whole[name], killed[name]), name
print("the same bits in", ", ".join(whole.files))
