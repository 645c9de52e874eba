"""The standard's extension `fft`, by `ng.fft`."""

from typing import Any as Any

from nbgraph import ops as ops
from nbgraph.array import NDArray as NDArray
from nbgraph.device import Context as Context
from nbgraph.operator.declared import TYPES, define, parse

_ONE = {
    "fft": "The discrete Fourier transform along an axis",
    "ifft": "The inverse of `fft`",
    "rfft": "The half of `fft` of real numbers that says all",
    "irfft": "The inverse of `rfft`",
    "hfft": "`fft` of what is Hermitian in time, so that it is real",
    "ihfft": "The inverse of `hfft`",
}
_SEVERAL = {
    "fftn": "The discrete Fourier transform over axes",
    "ifftn": "The inverse of `fftn`",
    "rfftn": "The half of `fftn` of real numbers that says all",
    "irfftn": "The inverse of `rfftn`",
}
_OTHERS = """
fftfreq(n: int, /, *, d: float = 1.0, dtype=None, device=None): Frequencies of the results of `fft`.
    = ops.fft.fftfreq(n, d, dtype=dtype, device=device)
rfftfreq(n: int, /, *, d: float = 1.0, dtype=None, device=None): Frequencies of the results of
    `rfft`.
    = ops.fft.rfftfreq(n, d, dtype=dtype, device=device)
fftshift(x, /, *, axes=None): Frequency zero moved to the middle.
ifftshift(x, /, *, axes=None): The inverse of `fftshift`.
"""
_TABLE = "".join(
    [
        *(f'{name}(x, /, *, n=None, axis=-1, norm="backward"): {d}.\n' for name, d in _ONE.items()),
        *(f'{n}(x, /, *, s=None, axes=None, norm="backward"): {d}.\n' for n, d in _SEVERAL.items()),
        _OTHERS.lstrip(),
    ]
)
_TYPES = {**TYPES, "x": "NDArray"}
_names = define(parse(_TABLE, "ops.fft"), globals(), "NDArray", types=_TYPES)


def __dir__() -> list[str]:
    """The names of the extension."""
    return list(_names)
