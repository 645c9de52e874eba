"""What the texts of functions compute, as a hash by which a file tells operators apart."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.names import plain_function
from nbgraph.kernels.capture.text import function_text, normal_text
from nbgraph.kernels.compiler.handwritten import python_function


def content(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Return a hash of the functions' own texts, without comments and layout; not of what they
    call.

    >>> first, second = lambda src: src + 1, lambda src: src + 2
    >>> content({"function": first}) == content({"function": second})
    False
    """
    texts = [f"{name}: {_text(functions[name])}" for name in sorted(functions)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _text(fn: Callable[..., Any]) -> str:
    plain = plain_function(python_function(fn) or fn)
    if plain is None:
        return f"{type(fn).__module__}.{type(fn).__qualname__}"  # an object that can be called
    try:
        return normal_text(function_text(plain).source, plain.__name__)
    except CaptureError:
        return plain.__code__.co_code.hex()
