"""States of random streams, to continue them in another process."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from nbgraph.device import Context, cpu
from nbgraph.engine import current
from nbgraph.resource.random import Stream, stream


def random_state(device: Context | None = None) -> dict[str, Any]:
    """Return seed and position of a device's stream as plain data, after pending users have ended.

    >>> import nbgraph as ng
    >>> ng.random.seed(0)
    >>> kept = random_state()
    >>> a = ng.random.uniform(size=3)
    >>> restore_random(kept)
    >>> bool((a == ng.random.uniform(size=3)).all())
    True
    """
    source = _settled(device)
    generator_state: Any = source.serial().bit_generator.state
    serial = {
        "counter": generator_state["state"]["counter"].tolist(),
        "key": generator_state["state"]["key"].tolist(),
        "buffer": generator_state["buffer"].tolist(),
        "rest": [
            generator_state["buffer_pos"],
            generator_state["has_uint32"],
            generator_state["uinteger"],
        ],
    }
    counters = {"entropy": source.entropy, "seeded": source.seeded, "drawn": source.drawn}
    return {**counters, "serial": serial}


def restore_random(state: Mapping[str, Any], device: Context | None = None) -> None:
    """Continue a device's stream from a result of `random_state`."""
    source = _settled(device)
    source.begin(state["entropy"], state["seeded"])
    source._draws = source._draws[0], itertools.count(state["drawn"])
    serial = state["serial"]
    position, has_uint32, uinteger = serial["rest"]
    source.serial().bit_generator.state = {
        "bit_generator": "Philox",
        "state": {name: np.array(serial[name], np.uint64) for name in ("counter", "key")},
        "buffer": np.array(serial["buffer"], np.uint64),
        "buffer_pos": position,
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }


def _settled(device: Context | None) -> Stream:
    source = stream(cpu() if device is None else device)
    if source.variable is not None:
        current().wait_for_var(source.variable)
    return source
