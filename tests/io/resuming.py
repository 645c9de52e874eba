"""A program that is killed and begins again: it writes down each batch and where it is.

python -m tests.io.resuming FOLDER BATCHES
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np

from nbgraph.io import NDArrayIter, SourceIter
from tests.io.sources import Counted, Numbers


def noisy(columns, draws):
    return (columns[0] + draws.normal(), *columns[1:])


def iterators():
    """One of each kind, with all that a place in them may depend on."""
    options = {"shuffle": True, "seed": 3, "prefetch": 2}
    x = np.arange(70.0).reshape(35, 2)
    return {
        "arrays": NDArrayIter(x, x[:, 0], 8, last_batch_handle="roll_over", **options),
        "blocks": SourceIter(
            Numbers([9] * 5), 7, window=2, last_batch_handle="roll_over", transforms=[noisy],
            **options,
        ),
        "whole": SourceIter(Numbers([9] * 5, whole=True), 7, window=2, part=1, of=2, **options),
        "stream": SourceIter(Counted(40), 6, window=8, **options),
    }  # fmt: skip


def digest(batch):
    """What is in a batch, to the bit."""
    values = [a.asnumpy().tobytes() for a in batch] + [batch.index.tobytes(), bytes([batch.pad])]
    return hashlib.sha256(b"".join(values)).hexdigest()[:16]


def main(folder, batches):
    place, log = Path(folder) / "place.json", Path(folder) / "log.txt"
    its, lines = iterators(), 0
    if place.exists():
        kept = json.loads(place.read_text())
        lines = kept["lines"]
        for name, it in its.items():
            it.load_state_dict(kept["states"][name])
    done = log.read_text().splitlines(keepends=True)[:lines] if lines else []
    log.write_text("".join(done))
    with log.open("a") as file:
        while lines < batches:
            found = []
            for name, it in its.items():
                batch = next(it, None)
                if batch is None:
                    it.reset()
                found.append(f"{name}:{batch and digest(batch)}")
            file.write(" ".join(found) + "\n")
            file.flush()
            lines += 1
            beside = place.with_suffix(".new")
            states = {name: it.state_dict() for name, it in its.items()}
            beside.write_text(json.dumps({"lines": lines, "states": states}))
            beside.replace(place)
            time.sleep(0.002)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
