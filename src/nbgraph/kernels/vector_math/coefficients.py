"""Constants and polynomials of the functions, lowest power first, as scripts have computed them."""

import json
from typing import Any

from nbgraph._version import PACKAGE


def _numbers(name: str) -> dict[str, Any]:
    """Return a table of this folder, with its lists as tuples, which Numba takes for constants."""
    text = (PACKAGE / "kernels/vector_math" / name).read_text(encoding="utf-8")
    return {key: _frozen(value) for key, value in json.loads(text).items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(value) if isinstance(value, list) else value


# by scripts/remez.py: of each format, and 2/pi as the first 1280 bits after the binary point
TABLES: dict[str, dict[str, tuple[float, ...]]] = _numbers("minimax.json")
TWO_OVER_PI = int(str(TABLES.pop("two_over_pi")), 16)
# by scripts/chebyshev.py: of special functions, in float64
FITS: dict[str, tuple[float, ...]] = _numbers("chebyshev.json")
