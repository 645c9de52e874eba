"""Object code: compiled from LLVM text, and loaded into memory.

Code is stored as object files whose few symbols are C functions of 64-bit words, so that a process
that finds one on disk needs neither Numba nor a compiler. The symbols that an object needs from the
C library are listed with it. LLVM, whose shared library takes some 30 ms to load, is loaded only to
compile, or to link a file that `image` does not support.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.codegen import image
from nbgraph.codegen.host import cpu_name, features
from nbgraph.codegen.host import host as _host
from nbgraph.errors import CompileError
from nbgraph.scopes import forkable

if TYPE_CHECKING:
    import llvmlite.binding as llvm

PREFIX = "nbgraph_"  # of this library's symbols
SYMBOL = f"{PREFIX}kernel"
_ready: list[bool] = []  # not empty once LLVM is initialised for this machine
COMPILING = forkable(threading.RLock())  # Numba's compiler and its registries are not reentrant
# constants are addressed relative to the code: in the large model of JITs each needs a 64-bit
# address, which keeps them out of registers (measured: exp 0.64 instead of 0.40 ns)
_RELOCATION, _CODE_MODEL = "static", "jitdefault"


# A Numba function returns a status and stores its value at a pointer; a C function returns it.
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
    """Return LLVM text of `int64 symbol(int64, ...)`, which calls `inner`; -1 if that raises."""
    words = [f"i64 %w{n}" for n in range(arity)]
    return _WRAPPER.format(
        inner=inner,
        symbol=symbol,
        types=", ".join(["ptr", "ptr", *["i64"] * arity]),
        parameters=", ".join(words),
        arguments=", ".join(["ptr %result", "ptr %error", *words]),
    )


def _llvm() -> Any:
    """Return llvmlite's binding, initialised to compile for this machine."""
    import llvmlite.binding as llvm

    if not _ready:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _ready.append(True)
    return llvm


def hide(module: llvm.ModuleRef, symbols: Collection[str]) -> None:
    """Make everything but `symbols` invisible outside, so that LLVM may inline and drop it."""
    llvm = _llvm()
    for function in module.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = llvm.Linkage.internal
    for variable in module.global_variables:
        if not variable.is_declaration and not variable.name.startswith("llvm."):
            variable.linkage = llvm.Linkage.internal


def new_machine(
    relocation: str = _RELOCATION, code_model: str = _CODE_MODEL, opt: int = 3
) -> llvm.TargetMachine:
    """Return a code generator for this processor; `opt` is LLVM's level, 0 to 3."""
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu_name(), features=features(), opt=opt, reloc=relocation, codemodel=code_model
    )


@functools.cache
def machine(opt: int = 3) -> llvm.TargetMachine:
    """Return the host's code generator of level `opt`."""
    return new_machine(opt=opt)


def host() -> str:
    """Return what machine code depends on besides its text, for cache keys."""
    versions = f"llvm {_host().llvm} numba {_host().numba}"
    return f"{cpu_name()} {features()} {_RELOCATION} {_CODE_MODEL} {versions}"


def externals(module: llvm.ModuleRef) -> tuple[str, ...]:
    """Return the names of functions that a module uses and does not define, except intrinsics."""
    names = (f.name for f in module.functions if f.is_declaration)
    return tuple(sorted(name for name in names if not name.startswith("llvm.")))


@functools.cache
def _library(name: str) -> ctypes.CDLL:
    import ctypes.util

    return ctypes.CDLL(ctypes.util.find_library(name) or None)


def provide(symbols: Sequence[str]) -> None:
    """Register C and Python functions with the linker; raise CompileError if one is missing."""
    llvm = _llvm()
    for name in symbols:
        if llvm.address_of_symbol(name):
            continue
        try:
            library = ctypes.pythonapi if name.startswith("Py") else _library("m")
            # divisions of 128 bits, which LLVM's loops come to, are in GCC's library
            function = getattr(library, name, None) or getattr(_library("gcc_s"), name)
        except AttributeError as error:
            raise CompileError(f"the kernel needs {name!r}, which this system lacks") from error
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


class LoadedCode:
    """Machine code in memory, unmapped with this object, so callers must keep a reference.

    `address` is that of the first of `symbols`, `addresses` has all.
    """

    __slots__ = ("_owner", "address", "addresses")

    def __init__(
        self, code: bytes, externs: Sequence[str], symbols: Sequence[str] = (SYMBOL,)
    ) -> None:
        placed = image.place(code, symbols)
        self._owner: Any = placed or _linked(code, externs)
        self.addresses: dict[str, int] = placed.addresses if placed else {}
        if not placed:
            self.addresses = {s: int(self._owner.get_function_address(s)) for s in symbols}
        for symbol, address in self.addresses.items():
            if not address:
                raise CompileError(f"the object code lacks the symbol {symbol!r}")
        self.address: int = self.addresses[symbols[0]]

    def keep(self) -> None:
        """Never unmap the code, not even at the end of the interpreter."""
        loaded = self._owner
        if isinstance(loaded, image.Image):
            loaded.keep()
        else:
            loaded.detach()  # never disposed of


def _linked(code: bytes, externs: Sequence[str]) -> Any:
    """Return an execution engine of LLVM that holds the object files."""
    # `externs` lacks the functions that the code generator itself calls
    provide(sorted({*externs, *image.undefined(code)}))
    llvm = _llvm()
    # an engine owns its target machine: each gets its own
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), new_machine())
    for file in image.separated(code):
        engine.add_object_file(llvm.ObjectFileRef.from_data(file))
    engine.finalize_object()
    return engine


def load_forever(code: bytes, externs: Sequence[str], symbols: Sequence[str]) -> dict[str, int]:
    """Return the addresses of `symbols` in machine code that is never unmapped: threads without the
    GIL may still run in it when the interpreter has ended."""
    loaded = LoadedCode(code, externs, symbols)
    loaded.keep()
    return loaded.addresses
