"""What the text of a function depends on in the processor that code is made for; needs no LLVM."""

from __future__ import annotations

import platform

LINE = 64  # bytes of a cache line


def has_fma(features: str) -> bool:
    """Whether a processor with these `features`, in LLVM's notation, has a fused multiply-add.

    >>> has_fma("+avx2,+fma,-fma4"), has_fma("+avx2,+fma4")
    (True, False)
    """
    arm = platform.machine().lower() in ("aarch64", "arm64")  # all of these have
    return arm or "+fma" in features.split(",")


def is_x86() -> bool:
    """Whether the processor is one of Intel's kind."""
    return platform.machine().lower() in ("x86_64", "amd64", "i686")
