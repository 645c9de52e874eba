"""Builtin functions of Python made from LLVM text.

The text defines one C function `ptr nbgraph_kernel(ptr self, ptr args, i64 nargs)`: CPython's
vector-call convention (METH_FASTCALL, stable interface). `self` is an object, such as bytes, that
tells the function its work, so that one C function serves any number of Python callables.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.codegen import cache, target
from nbgraph.codegen.making.events import compiling

_METH_FASTCALL = 0x0080


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def address(text: str, symbols: Sequence[str], name: str = "builtin") -> int:
    """Where the machine code of `text` lies, found on disk or made; `symbols` is what it calls,
    `name` what reports call it."""
    key = hashlib.sha256(f"builtin {target.host()} {text}".encode()).hexdigest()
    with compiling(name, "llvm") as note:
        entry = cache.load(key)
        if entry is None:
            from nbgraph.codegen import optimise  # imports LLVM

            code = bytes(target.machine().emit_object(optimise.optimised(text, name)))
            entry = cache.Entry(code, tuple(symbols), 0.0, "compiled")
            cache.store(key, entry)
        note(entry.origin, len(entry.code))
    return target.load_forever(entry.code, entry.symbols, (target.SYMBOL,))[target.SYMBOL]


def method(code: int, name: str, doc: str) -> int:
    """The address of a method definition; it is never freed, as functions point to it."""
    made = _MethodDef(name.encode(), code, _METH_FASTCALL, doc.encode())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return ctypes.addressof(made)


def function(definition: int, given: object) -> Callable[..., Any]:
    """A builtin function whose C function is given an object, such as bytes, as `self`."""
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return new(definition, given, None)
