"""Properties of the namespace: capabilities, devices, dtypes."""

from typing import Any

import numpy as np

from nbgraph.device import Context, cpu
from nbgraph.dtype import as_dtype
from nbgraph.errors import DeviceError, require_word
from nbgraph.settings import config
from nbgraph.xp.dtypes import KINDS, DType, int64

__all__ = [
    "__array_namespace_info__",
]  # fmt: skip

MOST_AXES = 64  # as in NumPy 2


class Info:
    """The inspection functions of the standard."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """Return what arrays support: everything, up to 64 axes."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MOST_AXES,
        }

    def default_device(self) -> Context:
        """Return the device on which arrays are created by default."""
        return cpu()

    def devices(self) -> tuple[Context, ...]:
        """Return the devices on which arrays can be created."""
        return (cpu(),)

    def default_dtypes(self, *, device: Context | None = None) -> dict[str, DType]:
        """Return the dtypes of arrays made of Python numbers: `ng.config.default_float`, int64, and
        the complex dtype whose parts are the default float.
        """
        _require(device)
        floating = as_dtype(config.default_float)
        return {
            "real floating": floating,
            "complex floating": np.result_type(floating, np.complex64),
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(
        self, *, device: Context | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return dtypes by name: those of a kind, of one of several kinds, or all.

        >>> list(Info().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        _require(device)
        kinds = (
            ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        )
        for asked in kinds:
            require_word("dtypes: kind", asked, KINDS)
        return {dtype.name: dtype for asked in kinds for dtype in KINDS[asked]}


def _require(device: Context | None) -> None:
    if device is not None and not isinstance(device, Context):
        raise DeviceError(f"device={device!r}; expected one such as ng.cpu(), or None")


def __array_namespace_info__() -> Info:  # noqa: N807  (the standard's name)
    """Return the inspection functions of this namespace.

    >>> __array_namespace_info__().default_device()
    cpu(0)
    """
    return Info()
