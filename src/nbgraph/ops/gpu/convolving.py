"""Convolutions by kernels with a thread for each element of the result.

They read operands in any layout, without columns. Sums are in float32, or in float64 for it.
"""

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.scalar.kinds import Element
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.units import Units
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import Shape
from nbgraph.ops.gpu.columns import is_one, sweep_of, swept
from nbgraph.ops.windows.convolution_shapes import How, Layer, layer_of, of_data, of_weights
from nbgraph.ops.windows.convolutions import (
    BIASED,
    BIASED_DATA,
    convolution,
    convolution_data,
    convolution_weights,
)


def _summed(
    name: str,
    operands: Specs,
    out: Spec,
    layer: Layer,
    parts: Sequence[tuple[str, str]],
    begin: Sequence[str],
    loops: Sequence[str],
) -> Units:
    """Return a kernel whose `loops` add to `acc`. Operands: a, b, and a bias along axis `ch`."""
    value, biased = Element(out.dtype.name), len(operands) > 2
    names = ("a", "b", *(["bias"] if biased else []), "out")
    end = [f"acc = acc + {value.load('biases, ch')}"] if biased else []
    pointers = [f"first = {value.pointer('a')}", f"second = {value.pointer('b')}"]
    pointers += [f"biases = {value.pointer('bias')}"] if biased else []
    return swept(
        name,
        layer.windows,
        names,
        math.prod(out.shape),
        {word: getattr(layer, word) for word in ("images", "groups", "channels", "features")},
        [*begin, f"acc = {value.compute}(0)", *loops, *end, value.store("target, i", "acc")],
        parts=parts,
        before=[*pointers, f"target = {value.pointer('out')}"],
        compute=value.compute,
    )


def _product(out: Spec, a: str, b: str) -> str:
    value = Element(out.dtype.name)
    return f"acc = acc + {value.load(f'first, {a}')} * {value.load(f'second, {b}')}"


def _counted(name: str, stop: str, line: str) -> list[str]:
    return [f"for {name} in range({stop}):", f"    {line}"]


@device_forms.unit(convolution, BIASED)
def convolved(operands: Specs, outputs: Specs, **how: Any) -> Units | None:
    """Return the kernel with a thread per place of a feature."""
    if not is_one(operands):
        return None
    layer = layer_of("convolution", operands[0].shape, operands[1].shape, How.of(how))
    sweep, volume = sweep_of(layer.windows), layer.windows.volume
    line = _product(outputs[0], "x_at + c * cells + cell", f"w_at + c * {volume} + element")
    begin = [
        "group = int64(uint32(ch) // uint32(features))",
        "x_at = (n * groups + group) * channels * cells",
        f"w_at = ch * channels * {volume}",
    ]
    parts = [("n", ""), ("ch", "groups * features"), *sweep.parts("p", "out")]
    loops = sweep.under(_counted("c", "channels", line))
    return _summed("convolution", operands, outputs[0], layer, parts, begin, loops)


@device_forms.unit(convolution_data, BIASED_DATA)
def data_gradient(operands: Specs, outputs: Specs, *, size: Shape, **how: Any) -> Units | None:
    """Return the kernel with a thread per cell of a channel."""
    if not is_one(operands):
        return None
    layer = of_data(operands, size, How.of(how))
    sweep, volume = sweep_of(layer.windows), layer.windows.volume
    line = _product(
        outputs[0], "g_at + f * places + spot", f"w_at + f * channels * {volume} + element"
    )
    begin = [
        "group = int64(uint32(ch) // uint32(channels))",
        "g_at = (n * groups + group) * features * places",
        f"w_at = (group * features * channels + ch - group * channels) * {volume}",
    ]
    parts = [("n", ""), ("ch", "groups * channels"), *sweep.parts("z", "in")]
    loops = sweep.over(_counted("f", "features", line))
    return _summed("convolution_data", operands, outputs[0], layer, parts, begin, loops)


@device_forms.unit(convolution_weights)
def weight_gradient(operands: Specs, outputs: Specs, *, size: Shape, **how: Any) -> Units | None:
    """Return the kernel with a thread per weight."""
    if not is_one(operands):
        return None
    layer = of_weights(operands, size, How.of(how))
    sweep = sweep_of(layer.windows)
    line = _product(outputs[0], "x_at + cell", "g_at + spot")
    begin = ["group = int64(uint32(f) // uint32(features))"]
    loops = [
        "for n in range(images):",
        "    x_at = ((n * groups + group) * channels + c) * cells",
        "    g_at = (n * groups * features + f) * places",
        *(f"    {text}" for text in sweep.along([line])),
    ]
    parts = [("f", ""), ("c", "channels"), *sweep.elements()]
    return _summed("convolution_weights", operands, outputs[0], layer, parts, begin, loops)
