"""A network as a table: its layers with the shapes of their outputs, and what their arrays need."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.autograd import predict_mode
from nbgraph.autograd.tree import places
from nbgraph.errors import ArgumentError
from nbgraph.nn.module import Module
from nbgraph.nn.parts import device_of
from nbgraph.nn.state import outside
from nbgraph.ops.define import library
from nbgraph.picture import columns, html_table

_HEAD = ("layer", "kind", "output", "parameters", "bytes")


@dataclass(frozen=True, slots=True)
class LayerRow:
    """A layer: shapes of the outputs of its first call, and its own arrays, without its parts'.

    `outputs` is empty, and `calls` is 0, for a layer that the forward pass did not call.
    `parameters` counts elements that are trained; `nbytes` includes statistics.
    """

    name: str
    kind: str
    outputs: tuple[tuple[int, ...], ...]
    calls: int
    parameters: int
    nbytes: int

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        shapes = ", ".join("x".join(map(str, shape)) or "scalar" for shape in self.outputs)
        repeated = f" ({self.calls} calls)" if self.calls > 1 else ""
        return (
            self.name or "all",
            self.kind,
            f"{shapes}{repeated}" if self.calls else "not called",
            f"{self.parameters:,}",
            f"{self.nbytes:,}",
        )


class LayerSummary:
    """The result of `ng.nn.summary`: printed or displayed, a table; `rows` and totals are data.

    Parameters
    ----------
    rows : sequence of LayerRow
        The network itself first, then its layers.

    Attributes
    ----------
    parameters : int
        Elements that are trained; an array that layers share counts once.
    nbytes : int
        Bytes of parameters and statistics.
    """

    def __init__(self, rows: Sequence[LayerRow]) -> None:
        self.rows = tuple(rows)
        self.parameters = sum(row.parameters for row in self.rows)
        self.nbytes = sum(row.nbytes for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return rows and totals as plain values."""
        rows = [asdict(row) for row in self.rows]
        return {"rows": rows, "parameters": self.parameters, "bytes": self.nbytes}

    def _cells(self) -> list[tuple[str, ...]]:
        total = ("total", "", "", f"{self.parameters:,}", f"{self.nbytes:,}")
        return [*(row.cells() for row in self.rows), total]

    def __str__(self) -> str:
        return columns([_HEAD, *self._cells()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self._cells())


def summary(model: Module, *inputs: Any, dtype: Any = None) -> LayerSummary:
    """Return a table of a network's layers: output shapes, parameters and bytes.

    The network is called once, in prediction mode, on zeros of the given shapes; this creates
    arrays whose shapes were not known before.

    Parameters
    ----------
    model : Module
    *inputs : tuple of int, or array
        Shapes of the inputs of `forward`, with the batch; or arrays, where zeros are not valid.
    dtype : dtype, optional
        Of inputs given by shapes; by default float32 (or `ng.config.default_float`).

    Returns
    -------
    LayerSummary

    Raises
    ------
    ArgumentError for a model that is not a Module, and without inputs. ShapeError where a layer
    refuses the shape.

    >>> import nbgraph as ng
    >>> net = ng.nn.Sequential(ng.nn.Dense(8, ng.tanh), ng.nn.Dense(1))
    >>> print(summary(net, (32, 4)))
    layer     kind        output  parameters  bytes
    all       Sequential  32x1    0           0
    layers.0  Dense       32x8    40          160
    layers.1  Dense       32x1    9           36
    total                         49          196
    """
    if not isinstance(model, Module):
        raise ArgumentError(f"summary: model={model!r}; expected an ng.nn.Module")
    if not inputs:
        raise ArgumentError(
            "summary: no inputs; give the shape of each, as ng.nn.summary(net, (32, 4))"
        )
    device = device_of(model)
    arrays = [_input(each, dtype, device) for each in inputs]
    outputs: dict[Module, list[Any]] = {}
    with outside(), predict_mode(), _followed(model, outputs):
        model.forward(*arrays)
    return LayerSummary(list(_rows(model, outputs)))


def _input(value: Any, dtype: Any, device: Any) -> Any:
    if hasattr(value, "dtype"):
        return value
    if isinstance(value, tuple) and all(isinstance(n, int) and n >= 0 for n in value):
        return library.zeros(value, dtype=dtype, device=device)
    raise ArgumentError(
        f"summary: an input is {value!r}; expected a shape, such as (32, 4), or an array"
    )


@contextmanager
def _followed(model: Module, outputs: dict[Module, list[Any]]) -> Generator[None]:
    """Record results of all calls of layers within the block; compiled ones run as written."""
    layers = list(model.modules().values())
    before = [(layer, dict(vars(layer))) for layer in layers]
    try:
        for layer in layers:

            def noting(*args: Any, _own: Any = (layer, layer.forward), **kwargs: Any) -> Any:
                result = _own[1](*args, **kwargs)
                outputs.setdefault(_own[0], []).append(result)
                return result

            object.__setattr__(layer, "forward", noting)
            object.__setattr__(layer, "_compiled", None)
        yield
    finally:
        for layer, attributes in before:
            for name in ("forward", "_compiled"):
                if name in attributes:
                    object.__setattr__(layer, name, attributes[name])
                else:
                    object.__delattr__(layer, name)


def _rows(model: Module, outputs: dict[Module, list[Any]]) -> Iterator[LayerRow]:
    trained = model.parameters()
    arrays = model.state_dict()
    layers = model.modules()
    owner = {name: _owner(name, layers) for name in arrays}
    for path, layer in layers.items():
        calls = outputs.get(layer, [])
        first = places(calls[0], "out") if calls else []
        own = [name for name in arrays if owner[name] == path]
        yield LayerRow(
            path,
            type(layer).__name__,
            tuple(tuple(place.value.shape) for place in first),
            len(calls),
            sum(arrays[name].size for name in own if name in trained),
            sum(arrays[name].nbytes for name in own),
        )


def _owner(name: str, layers: dict[str, Module]) -> str:
    """Return the path of the layer that owns an array: the longest that its name begins with."""
    return max((path for path in layers if not path or name.startswith(f"{path}.")), key=len)
