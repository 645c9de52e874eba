"""Object code: LLVM text to machine code, and machine code back into memory.

Code travels as object files whose few symbols are C functions over 64-bit words, so that a process
that finds one on disk needs neither Numba nor a compiler. Symbols an object needs from the C
library are named beside it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
import threading
from collections.abc import Collection, Sequence

import llvmlite.binding as llvm

from nbgraph.errors import CompileError
from nbgraph.settings import config

SYMBOL = "nbgraph_kernel"
COMPILING = threading.RLock()  # Numba's compiler and its registries are not reentrant
# constants are reached from the code's own place: in the large model of JITs each takes a 64-bit
# address of its own, which keeps them out of registers (measured: exp 0.64 instead of 0.40 ns)
_RELOCATION, _CODE_MODEL = "static", "jitdefault"
_DECLARE = re.compile(r"^declare [^@]*@\"?([\w.$]+)\"?\(", re.MULTILINE)


# A Numba function returns a status and puts its value behind a pointer; a C function just returns.
_WRAPPER = """
declare i32 @"{inner}"({types})
define i64 @{symbol}({parameters}) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @"{inner}"({arguments})
  %failed = icmp ne i32 %status, 0
  %value = load i64, ptr %result
  %code = select i1 %failed, i64 -1, i64 %value
  ret i64 %code
}}
"""


def wrapper(symbol: str, inner: str, arity: int) -> str:
    """LLVM text of `int64 symbol(int64, ...)`, which calls Numba's function `inner`; where that
    raises, the result is -1."""
    words = [f"i64 %w{n}" for n in range(arity)]
    return _WRAPPER.format(
        inner=inner,
        symbol=symbol,
        types=", ".join(["ptr", "ptr", *["i64"] * arity]),
        parameters=", ".join(words),
        arguments=", ".join(["ptr %result", "ptr %error", *words]),
    )


def hide(module: llvm.ModuleRef, symbols: Collection[str]) -> None:
    """Make everything but `symbols` invisible outside, so that LLVM may inline and drop it."""
    for function in module.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = llvm.Linkage.internal
    for variable in module.global_variables:
        if not variable.is_declaration and not variable.name.startswith("llvm."):
            variable.linkage = llvm.Linkage.internal


@functools.cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _new_machine() -> llvm.TargetMachine:
    _initialize()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu_name(), features=features(), opt=3, reloc=_RELOCATION, codemodel=_CODE_MODEL
    )


@functools.cache
def machine() -> llvm.TargetMachine:
    """The host's code generator."""
    return _new_machine()


@functools.cache
def features() -> str:
    """The instruction sets code is made for, in LLVM's notation."""
    return config.cpu_features or str(llvm.get_host_cpu_features().flatten())


def cpu_name() -> str:
    """The processor code is made for, by LLVM's name."""
    return config.cpu_name or str(llvm.get_host_cpu_name())


def host() -> str:
    """What machine code here depends on, as text for cache keys."""
    return f"{cpu_name()} {features()} {_RELOCATION} {_CODE_MODEL} llvm {llvm.llvm_version_info}"


def externals(ir: str) -> tuple[str, ...]:
    """Functions that LLVM text leaves to the process, intrinsics aside."""
    return tuple(sorted({n for n in _DECLARE.findall(ir) if not n.startswith("llvm.")}))


@functools.cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m") or None)


def provide(symbols: Sequence[str]) -> None:
    """Make C library functions known to the linker; CompileError names one that is missing."""
    for name in symbols:
        if llvm.address_of_symbol(name):
            continue
        try:
            function = getattr(_c_library(), name)
        except AttributeError as error:
            raise CompileError(f"the kernel needs {name!r}, which this system lacks") from error
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


class LoadedCode:
    """Machine code in memory; it goes when this object goes, so callers keep a reference."""

    __slots__ = ("_engine", "address")

    def __init__(self, code: bytes, symbols: Sequence[str], symbol: str = SYMBOL) -> None:
        provide(symbols)
        _initialize()
        module = llvm.parse_assembly("")
        # an engine owns its target machine: each gets its own
        self._engine = llvm.create_mcjit_compiler(module, _new_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(symbol)
        if not self.address:
            raise CompileError(f"the object code lacks the symbol {symbol!r}")


def load_forever(code: bytes, externs: Sequence[str], symbols: Sequence[str]) -> dict[str, int]:
    """The addresses of `symbols` in machine code that stays in memory until the process is gone:
    threads without the GIL may still run in it when the interpreter has ended."""
    loaded = LoadedCode(code, externs, symbols[0])
    addresses = {s: int(loaded._engine.get_function_address(s)) for s in symbols}
    loaded._engine.detach()  # disposed of by nobody, not even by the end of the interpreter
    return addresses
