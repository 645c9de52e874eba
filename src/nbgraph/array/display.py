"""How arrays look: what is shown is copied, no more, and a failure is shown, not raised."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array


def text(array: Array) -> str:
    """As NumPy writes it; of an array that failed, what went wrong and where."""
    shown, problem = _shown(array)
    if problem is not None:
        return f"<NDArray {array.dtype}{list(array.shape)}, failed: {problem}>"
    where = "" if array.device == chunk.CPU else f" on {array.device}"
    return f"{np.array_repr(shown)}{where}"


def plain(array: Array) -> str:
    """As `str` of the NumPy array."""
    shown, problem = _shown(array)
    return text(array) if problem is not None else str(shown)


def bundle(array: Array) -> dict[str, str]:
    """What a notebook shows, worked out once."""
    body = text(array)
    note = f"{array.dtype}{list(array.shape)}, {array.device}"
    markup = f'<pre title="{html.escape(note)}">{html.escape(body)}</pre>'
    return {"text/plain": body, "text/html": markup}


def _shown(array: Array) -> tuple[Any, BaseException | None]:
    """The values, or what kept them from being there."""
    try:
        chunk.wait(array._chunk)
    except KeyboardInterrupt:
        raise
    except Exception as error:
        return None, error
    return array._view(), None
