"""Positions of the nodes of a graph: in layers, operands above, with few crossings.

Sugiyama's method in plain Python. Layers are longest paths; edges over several layers get a
*bend* in each layer between; a few sweeps put nodes at the barycentre of their neighbours, first
in order, then in pixels. Ties keep the order of the nodes, so equal graphs have equal pictures.

>>> found = layered(3, [(0, 1), (0, 2), (1, 2)], [40.0, 40.0, 40.0])
>>> found.layer
[0, 1, 2]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

GAP = 18.0  # pixels between neighbours
_BEND = 6.0  # width of a bend
_SWEEPS = 6
_LONGEST = 12  # layers that an edge may cross to get bends; beyond, it is drawn straight

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Layered:
    """The positions of nodes: `layer`, and `x`, the middle in pixels from the left edge; `bends` of
    every edge: points (layer, x) between its ends; `width` of the picture."""

    layer: list[int]
    x: list[float]
    bends: list[list[tuple[int, float]]]
    width: float


def layered(count: int, edges: Sequence[Edge], widths: Sequence[float]) -> Layered:
    """Return positions of `count` nodes; edges lead from lower numbers to higher ones."""
    layer = _layers(count, edges)
    chains, all_layers, all_widths = _edge_chains(edges, layer, widths)
    rows: list[list[int]] = [[] for _ in range(max(all_layers, default=-1) + 1)]
    for k, depth in enumerate(all_layers):
        rows[depth].append(k)
    above: list[list[int]] = [[] for _ in all_layers]
    below: list[list[int]] = [[] for _ in all_layers]
    for chain in chains:
        for a, b in itertools.pairwise(chain):
            below[a].append(b)
            above[b].append(a)
    _order(rows, above, below)
    x = _pixels(rows, above, below, all_widths)
    left = min((x[k] - all_widths[k] / 2 for k in range(len(x))), default=0.0)
    x = [each - left for each in x]
    width = max((x[k] + all_widths[k] / 2 for k in range(len(x))), default=0.0)
    bends = [[(all_layers[k], x[k]) for k in chain[1:-1]] for chain in chains]
    return Layered(layer, x[:count], bends, width)


def _layers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Return layers by longest paths; a node without operands is just above its first reader."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        assert a < b, f"the edge {a} -> {b} leads back"
        above[b].append(a)
        below[a].append(b)
    layer = [0] * count
    for k in range(count):
        layer[k] = max((layer[a] + 1 for a in above[k]), default=0)
    for k in range(count):
        if not above[k] and below[k]:
            layer[k] = min(layer[b] for b in below[k]) - 1
    return layer


def _edge_chains(
    edges: Sequence[Edge], layer: Sequence[int], widths: Sequence[float]
) -> tuple[list[list[int]], list[int], list[float]]:
    """Return every edge as a chain of nodes and bends; then their layers and their widths."""
    layers, sizes = list(layer), list(widths)
    chains: list[list[int]] = []
    for a, b in edges:
        between = range(layer[a] + 1, layer[b])
        if len(between) > _LONGEST:
            between = range(0)
        chains.append([a, *range(len(layers), len(layers) + len(between)), b])
        layers += between
        sizes += [_BEND] * len(between)
    return chains, layers, sizes


def _order(
    rows: list[list[int]], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> None:
    """Sort every row by the mean position of neighbours, downwards and upwards in turn."""
    place = [0.0] * len(above)

    def number(row: Sequence[int]) -> None:
        for i, k in enumerate(row):
            place[k] = (i + 0.5) / len(row)

    for row in rows:
        number(row)
    for sweep in range(_SWEEPS):
        near = below if sweep % 2 else above
        for row in reversed(rows) if sweep % 2 else rows:
            row.sort(key=lambda k: _mean([place[n] for n in near[k]], place[k]))
            number(row)


def _pixels(
    rows: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    widths: Sequence[float],
) -> list[float]:
    """Return pixels, as near to the mean of neighbours as the nodes in the same row allow."""
    x = [0.0] * len(above)
    for row in rows:
        for k, at in zip(row, _spread([0.0] * len(row), row, widths), strict=True):
            x[k] = at
    for sweep in range(_SWEEPS):
        near = below if sweep % 2 else above
        for row in reversed(rows) if sweep % 2 else rows:
            targets = [_mean([x[n] for n in near[k]], x[k]) for k in row]
            for k, at in zip(row, _spread(targets, row, widths), strict=True):
                x[k] = at
    return x


def _spread(targets: Sequence[float], row: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return positions in this order that do not overlap: the means of packing from the left and
    from the right, both of which keep the distances."""
    steps = [(widths[a] + widths[b]) / 2 + GAP for a, b in itertools.pairwise(row)]
    right = list(targets)
    for i, step in enumerate(steps):
        right[i + 1] = max(right[i + 1], right[i] + step)
    left = list(targets)
    for i in range(len(steps) - 1, -1, -1):
        left[i] = min(left[i], left[i + 1] - steps[i])
    return [(a + b) / 2 for a, b in zip(left, right, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
