"""Cells under windows as columns of matrices, and back, for convolutions as products."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.kernels.compiler.written import Compute
from nbgraph.kernels.cuda.sweeps import Sweep
from nbgraph.kernels.scalar.kinds import Element
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import library
from nbgraph.ops.windows.columns import col2im, im2col, into_cells, into_columns, windows_of
from nbgraph.ops.windows.windows import Windows
from nbgraph.shape import Arrays


def sweep_of(windows: Windows) -> Sweep:
    """Return the properties of windows that are part of a text."""
    return Sweep(windows.kernel, windows.step, windows.pad, windows.gap)


def is_one(operands: Specs) -> bool:
    """Return whether all operands have the same dtype."""
    return all(spec.dtype == operands[0].dtype for spec in operands)


def swept(
    name: str,
    windows: Windows,
    addresses: Sequence[str],
    total: int,
    words: Mapping[str, int],
    lines: Sequence[str],
    *,
    parts: Sequence[tuple[str, str]],
    before: Sequence[str],
    compute: Compute = "float32",
) -> Units:
    """Return a kernel with a thread for each of `total` elements, whose index is split into
    `parts`. Its text may use `cells` and `places`, and `words` by name."""
    sweep = sweep_of(windows)
    space = dict(zip(sweep.words, (*windows.ins, *windows.outs), strict=True))
    return threads(
        name,
        {"total": total, **words, **space},
        dict.fromkeys(addresses, ("", "")),
        *lines,
        parts=parts,
        before=(*before, f"cells = {sweep.cells}", f"places = {sweep.places}"),
        compute=compute,
    )


def _columns_infer(x: Spec, *, windows: Windows) -> Spec:
    return Spec((x.shape[1] * windows.volume, x.shape[0], windows.spots), x.dtype)


def _columns_naive(inputs: Arrays, outputs: Arrays, *, windows: Windows) -> None:
    shape = (-1, windows.volume, len(inputs[0]), *windows.outs)
    into_columns(inputs[0], windows, outputs[0].reshape(shape))


def _cells_infer(columns: Spec, *, windows: Windows) -> Spec:
    rows, images, _ = columns.shape
    return Spec((images, rows // windows.volume, *windows.ins), columns.dtype)


def _cells_naive(inputs: Arrays, outputs: Arrays, *, windows: Windows) -> None:
    (out,) = outputs
    shape = out.shape[1], windows.volume, out.shape[0], *windows.outs
    into_cells(inputs[0].reshape(shape), windows, out)


# (images, channels, *space) as (channels * window, images, places), and the reverse, which sums up
# the contributions to cells
COLUMNS = ArrayOp("window_columns", _columns_infer, _columns_naive)
CELLS = ArrayOp("window_cells", _cells_infer, _cells_naive, operands=("columns",))


@device_forms.unit(COLUMNS)
def columns_unit(operands: Specs, outputs: Specs, *, windows: Windows) -> Units:
    """Return the kernel with a thread per place of each channel: neighbours share reads."""
    (x,), sweep, kind = operands, sweep_of(windows), raw(operands[0])
    column = f"((c * {windows.volume} + element) * images + n) * places + place"
    return swept(
        "window_columns",
        windows,
        ("x", "out"),
        math.prod(x.shape[:2]) * windows.spots,
        {"images": x.shape[0], "channels": x.shape[1]},
        [
            f"place = {sweep.within('p', 'out')}",
            "first = (n * channels + c) * cells",
            *sweep.under(
                [f"store(target, {column}, load(source, first + cell))"],
                beside=[f"store(target, {column}, {kind}(0))"],
            ),
        ],
        parts=[("c", ""), ("n", "images"), *sweep.parts("p", "out")],
        before=(f"source = {kind}_pointer(x)", f"target = {kind}_pointer(out)"),
    )


@device_forms.unit(CELLS)
def cells_unit(operands: Specs, outputs: Specs, *, windows: Windows) -> Units:
    """Return the kernel with a thread per cell, which sums contributions in order of places."""
    (out,), sweep, value = outputs, sweep_of(windows), Element(outputs[0].dtype.name)
    column = f"((c * {windows.volume} + element) * images + n) * places + spot"
    read = value.load(f"source, {column}")
    return swept(
        "window_cells",
        windows,
        ("columns", "out"),
        math.prod(out.shape),
        {"images": out.shape[0], "channels": out.shape[1]},
        [
            f"sum_here = {value.compute}(0)",
            *sweep.over([f"sum_here = sum_here + {read}"]),
            value.store("target, i", "sum_here"),
        ],
        parts=[("n", ""), ("c", "channels"), *sweep.parts("z", "in")],
        before=(f"source = {value.pointer('columns')}", f"target = {value.pointer('out')}"),
        compute=value.compute,
    )


@device_forms.composed(im2col)
def columns(data: Any, **how: Any) -> Any:
    """Return the columns, with images first."""
    windows = windows_of("im2col", data.shape[2:], **how)
    return library.swapaxes(COLUMNS(data, windows=windows), 0, 1)


@device_forms.composed(col2im)
def cells(data: Any, *, output_size: Any, **how: Any) -> Any:
    """Return the cells from columns with images first."""
    windows = windows_of("col2im", output_size, **how)
    return CELLS(library.swapaxes(data, 0, 1), windows=windows)
