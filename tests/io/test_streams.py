"""Data of other libraries: iterables, datasets, loaders, Dask's collections, arrays in chunks.

SYS-10, DIO-01 and X-DIO-03 of the checklist: any iterable as a source, and its errors.
"""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DataError, ShapeError
from nbgraph.io import ChunkedSource, DatasetSource, IterableStream, SourceIter, as_iter
from tests.io.sources import numbers_of

SAMPLES = [(np.full(2, k, "float32"), k) for k in range(10)]


class Tensor:
    """What torch's tensors answer: no array before it is detached and on the host."""

    def __init__(self, values, state="on a device, with gradients"):
        self.values, self.state = np.asarray(values), state
        self.shape = self.values.shape

    def detach(self):
        return Tensor(self.values, "on a device")

    def cpu(self):
        return Tensor(self.values, "on the host" if self.state == "on a device" else self.state)

    def __array__(self, dtype=None, copy=None):
        assert self.state == "on the host", self.state
        return self.values


class Dataset:
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, number):
        return self.samples[number]


class Loader:
    """What torch's DataLoader answers."""

    def __init__(self, dataset, batch_size):
        self.dataset, self.batch_size = dataset, batch_size

    def __len__(self):
        return math.ceil(len(self.dataset) / self.batch_size)

    def __iter__(self):
        for low in range(0, len(self.dataset), self.batch_size):
            rows = [self.dataset[k] for k in range(low, min(low + self.batch_size, 10))]
            yield [Tensor(np.stack([np.asarray(v) for v in column])) for column in zip(*rows)]


def epochs(it, count=2):
    """Values of the first column, epoch by epoch."""
    return [
        [n for b in it for n in b[0].asnumpy().reshape(len(b[0]), -1)[:, 0].tolist()]
        for _ in range(count)
    ]


def kinds():
    import dask.array
    import dask.bag

    return {
        "a list of samples": (IterableStream(SAMPLES), {}),
        "a generator function": (IterableStream(lambda: iter(SAMPLES)), {}),
        "samples as dicts": (
            IterableStream([{"x": x, "y": y} for x, y in SAMPLES], labels=["y"]),
            {},
        ),
        "samples of tensors": (IterableStream([tuple(map(Tensor, s)) for s in SAMPLES]), {}),
        "a dataset": (Dataset(SAMPLES), {}),
        "a dataset of dicts": (DatasetSource(Dataset([{"x": x, "y": y} for x, y in SAMPLES])), {}),
        "a loader": (Loader(Dataset(SAMPLES), 4), {}),
        "a callable that makes batches": (lambda: iter(Loader(Dataset(SAMPLES), 4)), {}),
        "a Dask bag": (dask.bag.from_sequence(SAMPLES, npartitions=3), {}),
        "Dask arrays": (
            (
                dask.array.from_array(np.stack([x for x, _ in SAMPLES]), chunks=(3, 2)),
                dask.array.arange(10, chunks=3),
            ),
            {},
        ),
    }


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_gives_its_samples_in_every_epoch(kind):
    data, options = kinds()[kind]
    it = as_iter(data, batch_size=4, **options)
    assert isinstance(it, SourceIter)
    x, y = it.next()
    assert x.shape == (4, 2) and y.shape == (4,) and x.dtype == "float32"
    assert len(it.provide_data) == len(it.provide_label) == 1
    it.reset()
    assert epochs(it) == [list(range(10))] * 2


@pytest.mark.parametrize("kind", ["a list of samples", "a dataset", "a Dask bag", "Dask arrays"])
def test_samples_are_shuffled_and_divided(kind):
    found = []
    for part in range(3):
        data, _ = kinds()[kind]
        it = as_iter(data, batch_size=2, shuffle=True, seed=4, window=8, part=part, of=3)
        first, second = [[n for b in it for n in numbers_of([b])] for _ in range(2)]
        assert sorted(first) == sorted(second) and first != second
        found += first
    assert sorted(found) == list(range(10))


@pytest.mark.parametrize("kind", kinds())
def test_a_cursor_goes_on_in_the_middle(kind):
    it, other = [as_iter(kinds()[kind][0], batch_size=4) for _ in range(2)]
    it.next()
    state = it.state_dict()
    rest = [batch.data[0].tolist() for batch in it]
    other.load_state_dict(state)
    assert [batch.data[0].tolist() for batch in other] == rest and len(rest) == 2


@pytest.mark.parametrize("kind", ["a dataset", "a loader", "a Dask bag", "Dask arrays"])
def test_a_model_is_fitted_to_them(kind):
    ng.random.seed(0)  # weights drawn by chance may be right from the beginning
    model = ng.nn.Dense(1)
    history = ng.nn.fit(
        model,
        kinds()[kind][0],
        loss=lambda out, y: ng.mean((out[:, 0] - y) ** 2) / 100,
        optimizer=lambda m: ng.optim.Adam(m, 0.1),
        epochs=8,
        progress=False,
    )
    assert history["loss"][-1] < history["loss"][0]


# what cannot be done ----------------------------------------------------------------------------


def test_an_iterator_is_gone_through_once():
    it = SourceIter(IterableStream(iter(SAMPLES), name="samples"), 5)
    assert it.provide_label[0].shape == (5,)  # looked at, and given all the same
    assert epochs(it, 1) == [list(range(10))]
    it.reset()
    with pytest.raises(DataError, match="samples: .* can be gone through once, .*lambda"):
        it.next()
    with pytest.raises(ArgumentError, match="give a callable that makes it"):
        as_iter(iter(SAMPLES))


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda: IterableStream(3), ArgumentError, "items is an int; expected an iterable"),
        (lambda: DatasetSource(Dataset([])), DataError, "Dataset has no sample"),
        (
            lambda: DatasetSource(Dataset([{"x": 1}]), labels=["z"]),
            ArgumentError,
            "the samples have x",
        ),
        (
            lambda: ChunkedSource({"x": Chunks(np.ones(4)), "y": Chunks(np.ones(3))}),
            ShapeError,
            "x: 4, y: 3",
        ),
        (lambda: SourceIter(IterableStream([]), 2).provide_data, ArgumentError, "gives nothing"),
    ],
)
def test_what_is_refused(make, error, told):
    with pytest.raises(error, match=told):
        make()


def test_a_sample_that_raises_is_named_and_the_others_are_given():
    class Faulty(Dataset):
        def __getitem__(self, number):
            if number == 5:
                raise KeyError("lost")
            return self.samples[number]

    it = as_iter(Faulty(SAMPLES), batch_size=3)
    it.next()
    with pytest.raises(DataError, match="KeyError: 'lost' .Faulty, record 5."):
        it.next()
    assert it.next().index.tolist() == [6, 7, 8]
    it = as_iter(Faulty(SAMPLES), batch_size=3, on_error="skip")
    with pytest.warns(UserWarning, match="1 samples"):
        assert numbers_of(it) == [0, 1, 2, 3, 4, 6, 7, 8, 9]


def test_samples_of_several_shapes_need_a_transform():
    it = as_iter(Dataset([(np.zeros(k + 1), k) for k in range(4)]), batch_size=4)
    with pytest.raises(ShapeError, match="a batch needs one shape"):
        it.next()


# arrays in chunks -------------------------------------------------------------------------------


class Chunks:
    """What h5py's datasets answer; slices that were read are noted."""

    def __init__(self, values, size=None):
        self.values, self.shape, self.dtype = values, values.shape, values.dtype
        self.chunks = None if size is None else (size, *values.shape[1:])
        self.reads = []

    def __getitem__(self, part):
        self.reads.append((part.start, part.stop))
        return self.values[part]


@pytest.mark.parametrize("size", [None, 1, 3, 10, 64])
def test_chunks_are_read_as_wholes(size):
    values = Chunks(np.arange(20.0).reshape(10, 2), size)
    it = SourceIter(ChunkedSource({"x": values}), 4, shuffle=True, window=1)
    assert sorted(numbers_of(it)) == list(range(10))
    step = 10 if size is None else min(size, 10)
    expected = {(low, min(low + step, 10)) for low in range(0, 10, step)}
    assert set(values.reads) == expected


def test_arrays_of_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    values = zarr.create_array(tmp_path / "a.zarr", shape=(10, 2), chunks=(4, 2), dtype="f4")
    values[:] = np.arange(20).reshape(10, 2)
    it = as_iter(zarr.open_array(tmp_path / "a.zarr", mode="r"), batch_size=10)
    assert it.next().data[0].tolist() == np.arange(20).reshape(10, 2).tolist()


def test_partitions_of_a_dataframe():
    dask = pytest.importorskip("dask")

    class Frame(dict):  # a pandas.DataFrame's columns and their values
        columns = ["a", "y"]

        def __len__(self):
            return len(self["a"])

    class Frames:
        npartitions = 2

        def to_delayed(self):
            values = [(0, 3), (3, 3), (3, 5)]
            return [
                dask.delayed(Frame)(a=np.arange(a, b), y=np.arange(a, b) % 2) for a, b in values
            ]

    it = as_iter(Frames(), batch_size=5)
    x, y = it.next()
    assert x.tolist() == [0, 1, 2, 3, 4] and y.tolist() == [0, 1, 0, 1, 0]


def test_a_loader_of_torch():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.arange(10.0)[:, None], torch.arange(10))
    it = as_iter(torch.utils.data.DataLoader(data, batch_size=4))
    assert epochs(it) == [list(range(10))] * 2


def test_a_value_whose_get_takes_a_key_is_read_as_an_array():
    class Series:  # as of pandas
        shape = (2,)

        def get(self, key):
            raise AssertionError(key)

        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], dtype)

    (x,) = SourceIter(DatasetSource([(Series(), 0)]), 1).next().data
    assert x.tolist() == [[1.0, 2.0]]
