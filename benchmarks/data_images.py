"""A folder of images to batches: decoded, cropped, mirrored and normalised, by wall-clock time.

    python -m benchmarks.data_images [--images 512] [--size 256] [--workers 2]

The peers do it as torchvision's transforms do: a Pillow image is cropped and mirrored, and becomes
a normalised float32 array; samples are stacked. One peer is a loop in this process, one uses
processes that send their batches back, and one is PyTorch's DataLoader, where PyTorch is installed.
All read the same files, in a random order, with the same number of threads or processes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

import nbgraph as ng
from benchmarks.harness import Factor, peer, report

CROP, BATCH, CLASSES = 224, 32, 4
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
TARGET = 1.5


def write_images(folder: Path, count: int, size: int):
    """Smooth images with some noise: they decode as photographs do."""
    draw = np.random.default_rng(0)
    for i in range(count):
        path = folder / f"{i % CLASSES}" / f"{i}.jpg"
        path.parent.mkdir(exist_ok=True)
        coarse = Image.fromarray(draw.integers(0, 256, (16, 16, 3), np.uint8))
        smooth = np.asarray(coarse.resize((size, size), Image.Resampling.BICUBIC), np.int16)
        noise = draw.integers(-8, 9, smooth.shape, np.int16)
        Image.fromarray((smooth + noise).clip(0, 255).astype(np.uint8)).save(path, quality=90)


def ours(folder: Path, workers: int):
    """An epoch of batches, made ahead by the engine."""
    T = ng.io.transforms
    augment = [T.RandomCrop(CROP), T.RandomFlipLeftRight(), T.ToTensor(), T.Normalize(MEAN, STD)]
    it = ng.io.ImageFolderIter(
        folder, BATCH, shuffle=True, transforms=augment, prefetch=workers, last_batch_handle="keep"
    )

    def epoch():
        return sum(len(batch[0]) for batch in it)

    return epoch


def sample(file: str):
    """What torchvision's RandomCrop, RandomHorizontalFlip, ToTensor and Normalize do."""
    with Image.open(file) as opened:
        image = opened.convert("RGB")
    left, top = (random.randint(0, n - CROP) for n in image.size)
    image = image.crop((left, top, left + CROP, top + CROP))
    if random.random() < 0.5:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    values = np.ascontiguousarray(np.array(image).transpose(2, 0, 1)).astype(np.float32)
    values /= 255
    values -= np.float32(MEAN)[:, None, None]
    values /= np.float32(STD)[:, None, None]
    return values


def batch(files: list[str]):
    return np.stack([sample(file) for file in files])


def shuffled(folder: Path):
    files = sorted(str(path) for path in folder.rglob("*.jpg"))
    random.shuffle(files)
    return [files[i : i + BATCH] for i in range(0, len(files), BATCH)]


def loop(folder: Path):
    return sum(len(batch(files)) for files in shuffled(folder))


def processes(folder: Path, pool: concurrent.futures.Executor):
    return sum(map(len, pool.map(batch, shuffled(folder))))


class Dataset:
    """The files, for a DataLoader."""

    def __init__(self, folder: Path, torch):
        self.files, self.torch = [f for files in shuffled(folder) for f in files], torch

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.torch.from_numpy(sample(self.files[i])), i % CLASSES


def loaded(folder: Path, workers: int, torch):
    loader = torch.utils.data.DataLoader(
        Dataset(folder, torch), BATCH, shuffle=True, num_workers=workers, persistent_workers=True
    )
    return lambda: sum(len(x) for x, _ in loader)


def ratio(mine, theirs, rounds: int) -> float:
    """How many times faster ours is: the median over rounds of both in turns."""
    found = []
    for _ in range(rounds + 1):
        times = []
        for call in (mine, theirs):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        found.append(times[1] / times[0])
    return statistics.median(found[1:])  # the first round fills caches and starts processes


def rows(count: int = 512, size: int = 256, workers: int = 2, rounds: int = 5):
    """The figures, to be reported."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_images(folder, count, size)
        mine = ours(folder, workers)
        yield Factor(
            "images: than a loop in one process", ratio(mine, lambda: loop(folder), rounds), 1.0
        )
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            by_pool = functools.partial(processes, folder, pool)
            yield Factor(f"images: than {workers} processes", ratio(mine, by_pool, rounds), TARGET)
        torch = peer("torch")
        if torch is not None:
            theirs = loaded(folder, workers, torch)
            yield Factor(
                f"images: than torch, {workers} workers", ratio(mine, theirs, rounds), TARGET
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for option, default in (("images", 512), ("size", 256), ("workers", 2), ("rounds", 5)):
        parser.add_argument(f"--{option}", type=int, default=default)
    chosen = parser.parse_args()
    sys.exit(report(list(rows(chosen.images, chosen.size, chosen.workers, chosen.rounds))))
