"""Properties of the processor on which the text of kernels depends, without loading LLVM."""

import functools
import platform
from pathlib import Path

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL = 16 << 20  # bytes assumed for a last-level cache of unknown size
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

LINE = 64  # bytes of a cache line


def has_fma(features: str) -> bool:
    """Return whether a processor with these `features` (LLVM's notation) has fused multiply-add.

    >>> has_fma("+avx2,+fma,-fma4"), has_fma("+avx2,+fma4")
    (True, False)
    """
    arm = platform.machine().lower() in ("aarch64", "arm64")  # all of these have it
    return arm or "+fma" in features.split(",")


def vector_bytes(features: str) -> int:
    """Return the bytes of a vector register of a processor with these `features` (LLVM's notation).

    >>> vector_bytes("+avx2,+fma"), vector_bytes("-avx,+sse4.2")
    (32, 16)
    """
    has = set(features.split(","))
    return 64 if "+avx512f" in has else 32 if "+avx" in has or "+avx2" in has else 16


def has_evex(features: str) -> bool:
    """Return whether a processor with these `features`, in LLVM's notation, has the instructions
    of AVX-512 for vectors of all sizes.

    >>> has_evex("+avx2,+avx512f,+avx512vl"), has_evex("+avx2,+avx512f,-avx512vl")
    (True, False)
    """
    return {"+avx512f", "+avx512vl"} <= set(features.split(","))


def has_half(features: str) -> bool:
    """Return whether a processor with these `features` has conversions of 16-bit floats.

    >>> has_half("+avx2,+f16c") or not is_x86(), has_half("+avx2") and is_x86()
    (True, False)
    """
    return not is_x86() or "+f16c" in features.split(",")


def is_x86() -> bool:
    """Return whether the processor is an x86."""
    return platform.machine().lower() in ("x86_64", "amd64", "i686")


@functools.cache
def last_cache() -> int:
    """Return the bytes of the last-level cache of a core."""
    sizes: list[int] = []
    for path in _CACHES.glob("index*/size"):
        try:
            text = path.read_text().strip()
            sizes.append(int(text[:-1]) * _UNITS[text[-1]])
        except (OSError, ValueError, LookupError):  # another notation, or no information
            continue
    return max(sizes, default=_USUAL)
