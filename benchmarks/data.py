"""Data from files to batches, against who reads them otherwise.

    python -m benchmarks.data [arrays csv records step] [--rows 1000000]

arrays   what an iterator over arrays takes for a batch
csv      rows of a file to batches, against pyarrow's reader of it, whose columns are put side by
         side in one array; one thread each
records  shuffled samples of 32 floats from Arrow and RecordIO, in batches of 256, against pyarrow's
         own batches of the same Arrow file in order, made arrays; and against PyTorch's DataLoader
         with two workers on the same samples in memory
step     steps whose data come from Parquet, which costs half a step, against data in memory

Files lie in a temporary folder, and in the page cache. The first three are CPU time of one thread;
steps are wall time, with two cores that have nothing else to do.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet

import nbgraph as ng
from benchmarks.harness import Factor, Limit, Row, peer, report

WIDTH, BATCH = 32, 256


def drained(make: Callable[[], Iterable[Any]]) -> Callable[[], None]:
    """Go through all batches."""

    def run() -> None:
        for _ in make():
            pass

    return run


# an iterator over arrays ------------------------------------------------------------------------


def arrays(folder: Path, rows: int) -> Iterator[Limit]:
    """Seconds a batch, of the best of several epochs."""
    x, y = np.zeros((40_000, 4), "float32"), np.zeros(40_000, "int64")
    for shuffle in (False, True):
        it = ng.io.NDArrayIter(x, y, 8, shuffle=shuffle)
        taken = []
        for _ in range(7):
            begun = time.thread_time()
            count = sum(1 for _ in it)
            taken.append((time.thread_time() - begun) / count)
        order = "shuffled" if shuffle else "in order"
        yield Limit(f"a batch of arrays, {order}", min(taken), 20e-6)


# CSV --------------------------------------------------------------------------------------------


def csv(folder: Path, rows: int) -> Iterator[Row]:
    """Ten columns of numbers and a label."""
    path = folder / "table.csv"
    random = np.random.default_rng(0)
    columns = {f"c{k}": random.normal(size=rows).astype("float32").round(4) for k in range(10)}
    pyarrow.csv.write_csv(pa.table({**columns, "y": random.integers(0, 9, rows)}), path)
    reading = pyarrow.csv.ReadOptions(use_threads=False)

    def by_pyarrow() -> None:
        table = pyarrow.csv.read_csv(path, read_options=reading)
        np.column_stack([table[name].to_numpy() for name in columns]).astype("float32")

    def ours() -> Iterable[Any]:
        return ng.io.CSVIter(path, label="y", batch_size=4096, last_batch_handle="keep")

    yield Row(
        f"CSV, {rows} rows of 11",
        drained(ours),
        {"pyarrow.csv.read_csv": by_pyarrow},
        {"pyarrow.csv.read_csv": 0.7},
        rows * 11,
    )


# shuffled records -------------------------------------------------------------------------------


def records(folder: Path, rows: int) -> Iterator[Row]:
    """Samples of 32 floats and a label."""
    count = rows // 4
    values = np.random.default_rng(0).normal(size=(count, WIDTH)).astype("float32")
    labels = np.arange(count)
    table = pa.table(
        {"x": pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), WIDTH), "y": labels}
    )
    arrow, rec = folder / "records.arrow", folder / "records.rec"
    with pa.ipc.new_file(arrow, table.schema) as file:
        file.write_table(table, max_chunksize=8192)
    with ng.io.MXRecordIO(rec, "w") as file:
        for k in range(count):
            file.write(ng.io.pack((0, float(k), k, 0), values[k].tobytes()))

    def in_order() -> Iterator[Any]:
        scanned = pyarrow.dataset.dataset(arrow, format="ipc")
        for batch in scanned.to_batches(batch_size=BATCH, use_threads=False):
            x, y = batch.columns
            yield np.array(x.flatten()).reshape(-1, WIDTH), np.array(y)

    how = {"batch_size": BATCH, "shuffle": True, "last_batch_handle": "keep"}
    ours = {
        "Arrow": ng.io.ArrowIter(arrow, "x", "y", **how),
        "RecordIO": ng.io.RecordIter(rec, decode="raw", shape=(WIDTH,), dtype="float32", **how),
    }
    loader = _loader(values, labels)
    for name, it in ours.items():
        against: dict[str, Callable[[], object]] = {"pyarrow, in order": drained(in_order)}
        targets = {"pyarrow, in order": 0.8}
        if loader is not None:
            against["torch DataLoader, 2 workers"] = drained(lambda: loader)
            targets["torch DataLoader, 2 workers"] = 3.0
        yield Row(f"{name}, shuffled samples", drained(lambda it=it: it), against, targets, count)


def _loader(values: Any, labels: Any) -> Any:
    torch = peer("torch")
    if torch is None:
        print("PyTorch is not installed: its DataLoader is left out")
        return None
    utils = torch.utils.data
    data = utils.TensorDataset(torch.from_numpy(values), torch.from_numpy(labels))
    return utils.DataLoader(data, BATCH, shuffle=True, num_workers=2)


# steps ------------------------------------------------------------------------------------------


@ng.op
def spin(x, *, trips=1000):
    """A number of trips of some ten nanoseconds, on one core."""
    for _ in range(trips):
        x = math.sin(x)
    return x


def step(folder: Path, rows: int) -> Iterator[Factor]:
    """How much of a step that data in memory allow is left with data from a file."""
    count, size = 64 * 4096, 4096
    values = np.random.default_rng(0).normal(size=(count, WIDTH)).astype("float32")
    flat = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), WIDTH)
    path = folder / "steps.parquet"
    pyarrow.parquet.write_table(pa.table({"x": flat}), path, row_group_size=size)
    seed = ng.zeros(64)

    def loaded(ahead: int) -> Any:
        return ng.io.ParquetIter(path, "x", batch_size=size, prefetch=ahead)

    def steps(batches: Iterable[Any], trips: int) -> float:
        begun, done = time.perf_counter(), 0
        for _ in batches:
            spin(seed, trips=trips).wait_to_read()
            done += 1
        return (time.perf_counter() - begun) / done

    memory = list(loaded(0))
    with loaded(0) as alone, loaded(2) as ahead:
        load = statistics.median(steps(alone, 1) for _ in range(5))
        trip = statistics.median(steps(memory, 10_000) for _ in range(5)) / 10_000
        trips = round(2 * load / trip)
        ratios = [steps(memory, trips) / steps(ahead, trips) for _ in range(9)]
    name = f"steps of {2e3 * load:.1f} ms, {1e3 * load:.1f} ms of loading"
    yield Factor(name, statistics.median(ratios), 1 / 1.05)


TOPICS = {"arrays": arrays, "csv": csv, "records": records, "step": step}


def rows(topics: Iterable[str], count: int) -> Iterator[Row | Limit | Factor]:
    """Return what the table has."""
    with tempfile.TemporaryDirectory() as folder:
        for topic in topics:
            yield from TOPICS[topic](Path(folder), count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", metavar="topic", help=", ".join(TOPICS))
    parser.add_argument("--rows", type=int, default=1_000_000)
    chosen = parser.parse_args()
    raise SystemExit(report(rows(chosen.topics or TOPICS, chosen.rows), rounds=7))
