"""Machine code from PTX, and its resource use, by NVIDIA's linker, which needs no GPU.

The linker is a library of the package `nvidia-nvjitlink`, called through `ctypes`. Kernels run
without it, as the driver also compiles PTX.
"""

import ctypes
import functools
import hashlib
import importlib.util
import json
import re
from pathlib import Path
from typing import NamedTuple

from nbgraph.codegen import cache
from nbgraph.errors import CompileError

PACKAGE = "nvidia-nvjitlink==13.0.*"
_LIBRARIES = ("cu13/lib/libnvJitLink.so.13", "cu13/bin/x64/nvJitLink_130_0.dll")
_PTX_INPUT = 2  # of nvJitLinkInputType
_USED = re.compile(r"used (\d+) registers.*, (\d+) stack")  # including functions that it calls
_SPILLS = re.compile(r"(\d+) bytes spill stores")  # per function


class Facts(NamedTuple):
    """The resources of a thread in machine code: registers, and bytes of stack, of which some are
    spilled registers; `code` is the size of the machine code's file in bytes."""

    registers: int
    stack: int
    spills: int
    code: int


def library() -> Path | None:
    """Return the linker's file; None if the package is not installed."""
    package = importlib.util.find_spec("nvidia")
    for folder in (package and package.submodule_search_locations) or ():
        for name in _LIBRARIES:
            if (Path(folder) / name).exists():
                return Path(folder) / name
    return None


def facts(ptx: str, capability: tuple[int, int]) -> Facts:
    """Return the resources of a PTX text's machine code; kept in the disk cache.

    Raises CompileError if the linker is missing, or rejects the text, with its message.
    """
    key = hashlib.sha256(f"facts 2 {PACKAGE} {capability} {ptx}".encode()).hexdigest()
    known = cache.recall(key)
    if known is None:
        code, log = machine_code(ptx, capability)
        used = _USED.search(log)
        if used is None:
            raise CompileError(f"nvJitLink says nothing of registers: {log[:500]}")
        spills = sum(int(n) for n in _SPILLS.findall(log))
        known = json.dumps([int(used[1]), int(used[2]), spills, len(code)]).encode()
        cache.remember(key, known)
    return Facts(*json.loads(known))


def machine_code(ptx: str, capability: tuple[int, int]) -> tuple[bytes, str]:
    """Return the machine code of a PTX text, and the linker's log."""
    options = [f"-arch=sm_{capability[0]}{capability[1]}".encode(), b"-verbose"]
    handle, text = ctypes.c_void_p(), ptx.encode()
    linker = _linker()
    listed = (ctypes.c_char_p * len(options))(*options)
    _done(linker.nvJitLinkCreate(ctypes.byref(handle), len(options), listed), "options")
    try:
        length = ctypes.c_size_t(len(text))
        status = linker.nvJitLinkAddData(handle, _PTX_INPUT, text, length, b"kernel.ptx")
        status = status or linker.nvJitLinkComplete(handle)
        _done(status, "", lambda: _log(linker, "Error", handle))
        size = ctypes.c_size_t()
        _done(linker.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)), "size")
        code = ctypes.create_string_buffer(size.value)
        _done(linker.nvJitLinkGetLinkedCubin(handle, code), "code")
        return code.raw, _log(linker, "Info", handle)
    finally:
        linker.nvJitLinkDestroy(ctypes.byref(handle))


@functools.cache
def _linker() -> ctypes.CDLL:
    path = library()
    if path is None:
        raise CompileError(
            "machine code for a GPU is made by nvJitLink, which is not installed: "
            f"pip install '{PACKAGE}'"
        )
    return ctypes.CDLL(str(path))


def _log(linker: ctypes.CDLL, which: str, handle: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    getattr(linker, f"nvJitLinkGet{which}LogSize")(handle, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    getattr(linker, f"nvJitLinkGet{which}Log")(handle, text)
    return text.value.decode(errors="replace")


def _done(status: int, what: str, log: object = None) -> None:
    if status:
        said = log() if callable(log) else what
        raise CompileError(f"nvJitLink refuses the PTX (status {status}): {said}")
