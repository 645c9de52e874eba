"""Builtin functions of Python compiled from LLVM text.

The text defines one C function `ptr nbgraph_kernel(ptr self, ptr args, i64 nargs)`: CPython's
vector-call convention (METH_FASTCALL, stable interface). `self` is an object, such as bytes, with
the data of one callable, so that one C function serves any number of Python callables.
"""

import ctypes
import functools
import hashlib
import re
import sys
from collections.abc import Callable
from typing import Any

from nbgraph.codegen import cache, target
from nbgraph.codegen.making.events import compiling
from nbgraph.codegen.text import Function
from nbgraph.scopes import attended

_METH_FASTCALL = 0x0080
# functions of Python's stable interface that texts may call: result and arguments as LLVM types
_API = {
    "PyBuffer_Release": "void (ptr)",
    "PyByteArray_AsString": "ptr (ptr)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyContextVar_Get": "i32 (ptr, ptr, ptr)",
    "PyDict_GetItemWithError": "ptr (ptr, ptr)",
    "PyErr_Clear": "void ()",
    "PyErr_Occurred": "ptr ()",
    "PyErr_SetString": "void (ptr, ptr)",
    "PyEval_RestoreThread": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyComplex_ImagAsDouble": "double (ptr)",
    "PyComplex_RealAsDouble": "double (ptr)",
    "PyFloat_AsDouble": "double (ptr)",
    "PyFrame_GetBack": "ptr (ptr)",
    "PyFrame_GetCode": "ptr (ptr)",
    "PyFrame_GetLasti": "i32 (ptr)",
    "PyIter_Next": "ptr (ptr)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyList_SetSlice": "i32 (ptr, i64, i64, ptr)",
    "PyList_Size": "i64 (ptr)",
    "PyLong_AsLong": "i64 (ptr)",
    "PyLong_AsLongLong": "i64 (ptr)",
    "PyLong_AsSsize_t": "i64 (ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyObject_CallFunctionObjArgs": "ptr (ptr, ...)",
    "PyObject_CallObject": "ptr (ptr, ptr)",
    "PyObject_GetBuffer": "i32 (ptr, ptr, i32)",
    "PyObject_Type": "ptr (ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "PyTuple_Size": "i64 (ptr)",
    "PyType_GenericAlloc": "ptr (ptr, i64)",
    "Py_DecRef": "void (ptr)",
    "Py_IncRef": "void (ptr)",
    "llvm.memcpy.p0.p0.i64": "void (ptr, ptr, i64, i1)",
}
_NAMED = r"(declare .*)?@(Py\w+|llvm\.memcpy[\w.]+)"


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def available() -> bool:
    """Return whether this interpreter supports the functions: CPython with a GIL."""
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()


def called(t: Function, code: str, arguments: str, free: str) -> str:
    """Return the result of a call of machine code, made without the GIL if the i1 `free` is 1."""
    state = t.cell("ptr")
    with t.when(free):
        t.put(state, t.value("call ptr @PyEval_SaveThread()"), "ptr")
    result = t.value(f"call i64 {code}({arguments})")
    with t.when(free):
        t.do(f"call void @PyEval_RestoreThread(ptr {t.get(state, 'ptr')})")
    return result


def _declared(text: str) -> str:
    """Return a text with declarations of the Python functions that it calls."""
    named = re.findall(_NAMED, text)
    missing = {name for _, name in named} - {name for declared, name in named if declared}
    lines = [f"declare {_API[name].replace(' (', f' @{name}(', 1)}" for name in sorted(missing)]
    return "\n".join([*lines, text])


@attended
def address(text: str, name: str = "builtin", level: int = 3) -> int:
    """Return the address of the machine code of `text`, from disk or compiled at an optimisation
    level; `name` is its name in reports. The code is never unmapped."""
    text = _declared(text)
    key = hashlib.sha256(f"builtin {level} {target.host()} {text}".encode()).hexdigest()
    with compiling(name, "llvm") as note:
        entry = cache.load(key)
        if entry is None:
            from nbgraph.codegen import optimise  # imports LLVM

            module = optimise.optimised(text, name, level=level)
            code = bytes(target.machine(level).emit_object(module))
            entry = cache.Entry(code, target.externals(module), 0.0, "compiled")
            cache.store(key, entry)
        note(entry.origin, len(entry.code))
    return target.load_forever(entry.code, entry.symbols, (target.SYMBOL,))[target.SYMBOL]


def method(code: int, name: str, doc: str) -> int:
    """Return the address of a method definition; it is never freed, as functions point to it."""
    definition = _MethodDef(name.encode(), code, _METH_FASTCALL, doc.encode())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
    return ctypes.addressof(definition)


def function(definition: int, argument: object) -> Callable[..., Any]:
    """Return a builtin function whose C function gets `argument`, such as bytes, as `self`."""
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return new(definition, argument, None)
