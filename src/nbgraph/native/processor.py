"""What code is generated for, as far as the text of a function depends on it; Numba-free."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

from nbgraph.settings import config


@functools.cache
def hardware_fma() -> bool:
    """Whether code is generated for a processor with fused multiply-add; fixed at the first ask."""
    if config.cpu_features:  # those named, not the host's
        return "+fma," in f"{config.cpu_features},"
    if llvm.get_default_triple().startswith(("aarch64", "arm64")):
        return True
    return bool(llvm.get_host_cpu_features().get("fma", False))
