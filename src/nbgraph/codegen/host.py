"""The processor and the compilers that code depends on, cached on disk to avoid loading LLVM.

LLVM's description of a processor is stored under the operating system's description of it and the
installed compilers. The keys of the cache contain LLVM's description.
"""

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
    """Return LLVM's description of the host: from disk, or from LLVM."""
    system = _system()
    if not system:
        return ask()
    words = f"host {system} {_installed('llvmlite')} {_installed('numba')}"
    key = hashlib.sha256(words.encode()).hexdigest()
    fact = cache.recall(key)
    if fact is not None:
        return Host(*fact.decode().split("\n"))
    description = attend(ask)
    cache.remember(key, "\n".join(description).encode())
    return description


def ask() -> Host:
    """Return LLVM's description of the host, loading LLVM."""
    from importlib.metadata import version

    import llvmlite.binding as llvm

    return Host(
        str(llvm.get_host_cpu_name()),
        str(llvm.get_host_cpu_features().flatten()),
        f"{version('llvmlite')} {'.'.join(map(str, llvm.llvm_version_info))}",
        version("numba"),
    )


def _installed(package: str) -> str:
    """Return path, size and time of a package's file, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return f"no {package}"
    status = Path(spec.origin).stat()
    return f"{spec.origin} {status.st_size} {status.st_mtime_ns}"


def _system() -> str:
    """Return the operating system's description of the processor, or ""."""
    text = _read("/sys/devices/system/cpu/modalias")  # faster, but complete on x86 only
    if "type:x86" not in text:
        text = _constant_lines(_read("/proc/cpuinfo"))
    return f"{sys.platform} {platform.machine()} {text}" if text else ""


def _read(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(_BLOCK).decode(errors="replace")
    except OSError:
        return ""


def _constant_lines(text: str) -> str:
    """Return the lines on the first processor without those that vary, such as frequencies."""
    lines = text.partition("\n\n")[0].lower().splitlines()
    return "\n".join(n for n in lines if "mhz" not in n and "mips" not in n)


def cpu_name() -> str:
    """Return LLVM's name of the processor that code is compiled for."""
    return config.cpu_name or host().cpu


@functools.cache
def features() -> str:
    """Return the instruction sets that code is compiled for, in LLVM's notation."""
    return config.cpu_features or host().features
