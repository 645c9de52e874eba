"""Object files placed in memory without LLVM, where they ask for little.

What this library keeps on disk are relocatable ELF files for x86-64 of code and constants: a few
sections, addresses within the file, calls of C functions. Such a file is laid out here, its
addresses are filled in, and the memory is made executable and no longer writable. A process that
compiles nothing is thus spared LLVM, whose shared library takes some 30 ms to load. Whatever a file
asks for beyond that, this declines, and LLVM's own linker takes it.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from collections.abc import Collection
from typing import Any

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_RELOCATABLE, _X86_64 = 1, 62
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_WORD, _HALF = struct.Struct("<Q"), struct.Struct("<i")
# section types and flags
_PROGRAM, _SYMBOLS, _RELOCATIONS, _UNWIND = 1, 2, 4, 0x70000001
_WRITABLE, _IN_MEMORY, _THREAD_LOCAL = 1, 2, 0x400
_UNDEFINED, _RESERVED = 0, 0xFF00  # section numbers of symbols
_ABSOLUTE_64, _RELATIVE_32, _CALL_32 = 1, 2, 4  # the relocations that are known here
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jmp through the word that follows
_STUB_BYTES = 16
_READ_EXECUTE = 5


class _Strange(Exception):
    """The file asks for something that is not known here."""


class Image:
    """Machine code in memory, unmapped when this object goes; `addresses` by symbol."""

    __slots__ = ("_memory", "addresses")

    def __init__(self, memory: mmap.mmap, addresses: dict[str, int]) -> None:
        self._memory, self.addresses = memory, addresses

    def keep(self) -> None:
        """Never unmap it, not even at the end of the interpreter."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._memory))


def place(code: bytes, symbols: Collection[str]) -> Image | None:
    """The object file in memory with the addresses of `symbols`, or None where LLVM is needed."""
    if code[:6] != _ELF64_LITTLE or _protect() is None:
        return None
    try:
        return _File(code).image(symbols)
    except (_Strange, struct.error, OSError):
        return None


def undefined(code: bytes) -> list[str]:
    """What an object file asks for that it does not hold; nothing where it cannot be read here."""
    try:
        return _File(code).undefined() if code[:6] == _ELF64_LITTLE else []
    except (_Strange, struct.error):
        return []


class _File:
    """One object file being laid out: `starts` are the places of its sections in the image."""

    def __init__(self, code: bytes) -> None:
        kind, machine = struct.unpack_from("<HH", code, 16)
        if (kind, machine) != (_RELOCATABLE, _X86_64):
            raise _Strange
        (at,) = struct.unpack_from("<Q", code, 40)
        count = struct.unpack_from("<H", code, 60)[0]
        self.code = code
        self.sections = [_SECTION.unpack_from(code, at + _SECTION.size * i) for i in range(count)]
        self.starts: dict[int, int] = {}
        self.size = self._lay_out()
        self.table, self.names = self._symbol_table()
        self.stubs: dict[str, int] = {}

    def _lay_out(self) -> int:
        end = 0
        for number, section in enumerate(self.sections):
            _, kind, flags, _, _, size, _, _, align, _ = section
            if not flags & _IN_MEMORY or kind == _UNWIND:
                continue
            if kind != _PROGRAM or flags & (_WRITABLE | _THREAD_LOCAL) or align > mmap.PAGESIZE:
                raise _Strange
            end = -(-end // max(align, 1)) * max(align, 1)
            self.starts[number] = end
            end += size
        return end

    def _symbol_table(self) -> tuple[list[tuple[Any, ...]], int]:
        for section in self.sections:
            if section[1] == _SYMBOLS:
                offset, size = section[4], section[5]
                return [*_SYMBOL.iter_unpack(self.code[offset : offset + size])], self.sections[
                    section[6]
                ][4]
        raise _Strange

    def _name(self, symbol: tuple[Any, ...]) -> str:
        start = self.names + symbol[0]
        return self.code[start : self.code.index(b"\0", start)].decode()

    def undefined(self) -> list[str]:
        """Names that the file does not define."""
        return sorted({self._name(s) for s in self.table[1:] if s[3] == _UNDEFINED and s[0]})

    def image(self, symbols: Collection[str]) -> Image:
        """Map it, fill it in, and take the permission to write away."""
        stubs = -(-self.size // _STUB_BYTES) * _STUB_BYTES
        self.stubs = {name: stubs + _STUB_BYTES * i for i, name in enumerate(self.undefined())}
        length = stubs + _STUB_BYTES * len(self.stubs)
        memory = mmap.mmap(-1, length, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for number, start in self.starts.items():
            offset, size = self.sections[number][4:6]
            memory[start : start + size] = self.code[offset : offset + size]
        for name, start in self.stubs.items():
            memory[start : start + 14] = _STUB + _WORD.pack(_in_process(name))
        for section in self.sections:
            if section[1] == _RELOCATIONS and section[7] in self.starts:
                self._relocate(memory, base, section)
        protect = _protect()
        if protect is None or protect(base, length, _READ_EXECUTE):
            raise _Strange
        return Image(memory, self._addresses(base, symbols))

    def _relocate(self, memory: mmap.mmap, base: int, section: tuple[Any, ...]) -> None:
        start = self.starts[section[7]]
        offset, size = section[4:6]
        for at, info, addend in _RELOCATION.iter_unpack(self.code[offset : offset + size]):
            kind, symbol = info & 0xFFFFFFFF, self.table[info >> 32]
            outside = symbol[3] == _UNDEFINED
            if kind == _ABSOLUTE_64:
                value = _in_process(self._name(symbol)) if outside else base + self._within(symbol)
                _WORD.pack_into(memory, start + at, value + addend)
            elif kind == _CALL_32 or (kind == _RELATIVE_32 and not outside):
                value = self.stubs[self._name(symbol)] if outside else self._within(symbol)
                _HALF.pack_into(memory, start + at, value + addend - start - at)
            else:
                raise _Strange

    def _within(self, symbol: tuple[Any, ...]) -> int:
        """Where a symbol of the file lies in the image."""
        section = symbol[3]
        if section >= _RESERVED or section not in self.starts:
            raise _Strange
        return self.starts[section] + symbol[4]

    def _addresses(self, base: int, symbols: Collection[str]) -> dict[str, int]:
        found = {self._name(s): s for s in self.table[1:] if s[3] != _UNDEFINED and s[0]}
        if any(name not in found for name in symbols):
            raise _Strange
        return {name: base + self._within(found[name]) for name in symbols}


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@functools.cache
def _protect() -> Any:
    """`mprotect` of the C library, where there is one."""
    try:
        function = _process().mprotect
    except (AttributeError, OSError, TypeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


@functools.cache
def _in_process(name: str) -> int:
    """The address of a C function that this process has."""
    try:
        function = getattr(_process(), name)
    except AttributeError:
        raise _Strange from None
    return ctypes.cast(function, ctypes.c_void_p).value or 0
