"""What code is made for, and by what: LLVM's words, kept on disk so that they need no LLVM.

What LLVM said of a processor is found again by what the operating system says of it and by which
compilers are installed. The keys of the cache are made of these words.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import platform
import sys
from pathlib import Path
from typing import NamedTuple

from nbgraph.codegen import cache
from nbgraph.scopes import attend
from nbgraph.settings import config

_BLOCK = 1 << 14  # bytes that hold the description of at least one processor


class Host(NamedTuple):
    """The processor and its instruction sets in LLVM's notation; versions of the compilers."""

    cpu: str
    features: str
    llvm: str  # llvmlite's version, and LLVM's
    numba: str


@functools.cache
def host() -> Host:
    """Return the host as LLVM sees it: from disk, or asked now."""
    system = _system()
    if not system:
        return ask()
    words = f"host {system} {_installed('llvmlite')} {_installed('numba')}"
    key = hashlib.sha256(words.encode()).hexdigest()
    kept = cache.recall(key)
    if kept is not None:
        return Host(*kept.decode().split("\n"))
    asked = attend(ask)
    cache.remember(key, "\n".join(asked).encode())
    return asked


def ask() -> Host:
    """Return the host by LLVM's own words."""
    from importlib.metadata import version

    import llvmlite.binding as llvm

    return Host(
        str(llvm.get_host_cpu_name()),
        str(llvm.get_host_cpu_features().flatten()),
        f"{version('llvmlite')} {'.'.join(map(str, llvm.llvm_version_info))}",
        version("numba"),
    )


def _installed(package: str) -> str:
    """Where a package lies and since when; it is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return f"no {package}"
    status = Path(spec.origin).stat()
    return f"{spec.origin} {status.st_size} {status.st_mtime_ns}"


def _system() -> str:
    """Return the operating system's description of the processor, or nothing."""
    text = _read("/sys/devices/system/cpu/modalias")  # quicker, and whole on x86 alone
    if "type:x86" not in text:
        text = _lasting(_read("/proc/cpuinfo"))
    return f"{sys.platform} {platform.machine()} {text}" if text else ""


def _read(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(_BLOCK).decode(errors="replace")
    except OSError:
        return ""


def _lasting(text: str) -> str:
    """What does not change by the hour in the first processor's description."""
    lines = text.partition("\n\n")[0].lower().splitlines()
    return "\n".join(n for n in lines if "mhz" not in n and "mips" not in n)


def cpu_name() -> str:
    """Return the processor code is made for, by LLVM's name."""
    return config.cpu_name or host().cpu


@functools.cache
def features() -> str:
    """Return the instruction sets code is made for, in LLVM's notation."""
    return config.cpu_features or host().features
