"""Text and HTML of arrays. Only the shown elements are copied, also from GPUs; failures are shown
and not raised. In a notebook the cell that shows a failure fails (`nbgraph.notebook`)."""

import itertools
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array
from nbgraph.array.place import place
from nbgraph.errors import EngineError


def text(array: Array) -> str:
    """Return the array's repr as NumPy writes it, or the failure of its computation."""
    return _failed(array) or _text(array)


def plain(array: Array) -> str:
    """Return the result of `str` for the NumPy array."""
    problem = _failed(array)
    if problem is not None:
        return problem
    corners, whole = _corners(array)
    return str(corners) if whole else np.array2string(corners, threshold=0)


def bundle(array: Array) -> dict[str, str]:
    """Return the MIME bundle for a notebook; the text is computed once."""
    from nbgraph.picture import escape

    body = text(array)
    note = f"NDArray {array.dtype}{list(array.shape)} on {array.device}, computed asynchronously"
    markup = f'<pre>{escape(body)}</pre><small style="opacity:.6">{escape(note)}</small>'
    return {"text/plain": body, "text/html": markup}


def _text(array: Array) -> str:
    corners, whole = _corners(array)
    where = "" if array.device == chunk.CPU else f" on {array.device}"
    if whole:
        return f"{np.array_repr(corners)}{where}"
    with np.printoptions(threshold=0):
        body = np.array_repr(corners)
    # NumPy shows the shape of the corners
    return f"{body.replace(f'shape={corners.shape}', f'shape={array.shape}')}{where}"


def _failed(array: Array) -> str | None:
    """Wait for the array; return the text of its failure or None. This does not mark the failure as
    raised."""
    try:
        failure = chunk.settled(array._chunk)
    except EngineError as error:  # inside a function, which must not wait
        return f"<NDArray {array.dtype}{list(array.shape)}: {error}>"
    if failure is None:
        return None
    return f"<NDArray {array.dtype}{list(array.shape)}, failed in {failure}>"


def _corners(array: Array) -> tuple[np.ndarray[Any, Any], bool]:
    """Return a copy of the elements to show, and whether these are all. Of long axes of a large
    array these are the first few, the last few, and one between, which is shown as dots."""
    options = np.get_printoptions()
    where = place(array._chunk.device)
    if array.size <= options["threshold"]:
        return where.read(array), True
    edge: int = options["edgeitems"]
    axes = [np.r_[: edge + 1, n - edge : n] if n > 2 * edge else np.arange(n) for n in array.shape]
    if where.host:
        return array._view()[np.ix_(*axes)], False
    corners = np.empty([len(places) for places in axes], array.dtype)
    ends = [slice(0, edge + 1), slice(-edge, None)]
    parts = [ends if len(places) < n else [slice(None)] for places, n in zip(axes, array.shape)]
    for key in itertools.product(*parts):
        corners[key] = where.read(array._of_view(array._view()[key]))
    return corners, False
