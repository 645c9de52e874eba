"""A loader of simple object files without LLVM.

The cache contains relocatable ELF files for x86-64 with code and constants: a few sections,
addresses within the file, calls of C functions. This module lays out such a file, fills in its
addresses, and makes the memory executable and no longer writable. So a process that compiles
nothing need not load LLVM, whose shared library takes some 30 ms. Files with other features are
refused here and loaded by LLVM's linker.

Code may be several files in one string of bytes, of which one may define symbols that another one
uses; see `joined`.
"""

import ctypes
import functools
import mmap
import struct
from collections.abc import Collection, Mapping, Sequence
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
_ABSOLUTE_64, _RELATIVE_32, _CALL_32 = 1, 2, 4  # the relocations supported here
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jmp through the word that follows
_STUB_BYTES = 16
_READ_EXECUTE = 5
_JOINED = b"nbgraph object files\n"  # then each one's length and bytes
_LOCAL, _BINDING = 0, 4  # the binding of symbols visible in their file only; its bit offset


class _Unsupported(Exception):
    """The file has a feature that this loader does not support."""


class Image:
    """Machine code in memory, unmapped with this object; `addresses` by symbol."""

    __slots__ = ("_memory", "addresses")

    def __init__(self, memory: mmap.mmap, addresses: dict[str, int]) -> None:
        self._memory, self.addresses = memory, addresses

    def keep(self) -> None:
        """Never unmap the code, not even at the end of the interpreter."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._memory))


def joined(files: Sequence[bytes]) -> bytes:
    """Return object files as one string of bytes; a single file is returned unchanged."""
    if len(files) == 1:
        return files[0]
    return _JOINED + b"".join(_WORD.pack(len(file)) + file for file in files)


def separated(code: bytes) -> list[bytes]:
    """Return the object files in a result of `joined`."""
    if not code.startswith(_JOINED):
        return [code]
    files, at = list[bytes](), len(_JOINED)
    while at < len(code):
        (length,) = _WORD.unpack_from(code, at)
        files.append(code[at + _WORD.size : at + _WORD.size + length])
        at += _WORD.size + length
    return files


def place(code: bytes, symbols: Collection[str]) -> Image | None:
    """Return loaded object files with the addresses of `symbols`, or None if that needs LLVM."""
    if _protect() is None:
        return None
    try:
        return _image(_files(code), symbols)
    except (_Unsupported, struct.error, OSError):
        return None


def undefined(code: bytes) -> list[str]:
    """Return the symbols that object files use and do not define, or [] if they are unreadable."""
    try:
        files = _files(code)
        return _undefined(files, _defined(files))
    except (_Unsupported, struct.error):
        return []


class _File:
    """An object file in an image, from offset `start` to before `end`; `starts` are the offsets of
    its sections."""

    def __init__(self, code: bytes, start: int) -> None:
        if code[:6] != _ELF64_LITTLE:
            raise _Unsupported
        kind, machine = struct.unpack_from("<HH", code, 16)
        if (kind, machine) != (_RELOCATABLE, _X86_64):
            raise _Unsupported
        (at,) = struct.unpack_from("<Q", code, 40)
        count = struct.unpack_from("<H", code, 60)[0]
        self.code = code
        self.sections = [_SECTION.unpack_from(code, at + _SECTION.size * i) for i in range(count)]
        self.starts: dict[int, int] = {}
        self.end = self._lay_out(start)
        self.table, self.names = self._symbol_table()

    def _lay_out(self, end: int) -> int:
        for number, section in enumerate(self.sections):
            _, kind, flags, _, _, size, _, _, align, _ = section
            if not flags & _IN_MEMORY or kind == _UNWIND:
                continue
            if kind != _PROGRAM or flags & (_WRITABLE | _THREAD_LOCAL) or align > mmap.PAGESIZE:
                raise _Unsupported
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
        raise _Unsupported

    def _name(self, symbol: tuple[Any, ...]) -> str:
        start = self.names + symbol[0]
        return self.code[start : self.code.index(b"\0", start)].decode()

    def undefined(self) -> set[str]:
        """Return the names of symbols that the file uses and does not define."""
        return {self._name(s) for s in self.table[1:] if s[3] == _UNDEFINED and s[0]}

    def defined(self) -> dict[str, int]:
        """Return the offsets of the symbols that other files may use, by name."""
        visible = (s for s in self.table[1:] if s[0] and s[1] >> _BINDING != _LOCAL)
        return {self._name(s): self._offset(s) for s in visible if s[3] in self.starts}

    def relocate(
        self, memory: mmap.mmap, base: int, defined: Mapping[str, int], stubs: Mapping[str, int]
    ) -> None:
        """Copy its sections and fill in addresses; `defined`, `stubs`: offsets by name."""
        for number, start in self.starts.items():
            offset, size = self.sections[number][4:6]
            memory[start : start + size] = self.code[offset : offset + size]
        for section in self.sections:
            if section[1] != _RELOCATIONS or section[7] not in self.starts:
                continue
            start, (offset, size) = self.starts[section[7]], section[4:6]
            for at, info, addend in _RELOCATION.iter_unpack(self.code[offset : offset + size]):
                kind, symbol = info & 0xFFFFFFFF, self.table[info >> 32]
                name = self._name(symbol) if symbol[3] == _UNDEFINED else ""
                outside = name and name not in defined
                offset = -1 if outside else defined[name] if name else self._offset(symbol)
                if kind == _ABSOLUTE_64:
                    value = _in_process(name) if outside else base + offset
                    _WORD.pack_into(memory, start + at, value + addend)
                elif kind == _CALL_32 or (kind == _RELATIVE_32 and not outside):
                    value = stubs[name] if outside else offset
                    _HALF.pack_into(memory, start + at, value + addend - start - at)
                else:
                    raise _Unsupported

    def _offset(self, symbol: tuple[Any, ...]) -> int:
        """Return the offset of a symbol of the file in the image."""
        section = symbol[3]
        if section >= _RESERVED or section not in self.starts:
            raise _Unsupported
        return self.starts[section] + symbol[4]


def _files(code: bytes) -> list[_File]:
    """Return the object files, laid out one after another."""
    files: list[_File] = []
    for each in separated(code):
        files.append(_File(each, files[-1].end if files else 0))
    return files


def _defined(files: Sequence[_File]) -> dict[str, int]:
    return {name: at for file in files for name, at in file.defined().items()}


def _undefined(files: Sequence[_File], defined: Mapping[str, int]) -> list[str]:
    return sorted({name for file in files for name in file.undefined()}.difference(defined))


def _image(files: Sequence[_File], symbols: Collection[str]) -> Image:
    """Map the files, relocate them, and make the memory executable and read-only."""
    defined = _defined(files)
    begin = -(-files[-1].end // _STUB_BYTES) * _STUB_BYTES
    stubs = {n: begin + _STUB_BYTES * i for i, n in enumerate(_undefined(files, defined))}
    if any(name not in defined for name in symbols):
        raise _Unsupported
    length = begin + _STUB_BYTES * len(stubs)
    memory = mmap.mmap(-1, length, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for name, start in stubs.items():
        memory[start : start + 14] = _STUB + _WORD.pack(_in_process(name))
    for file in files:
        file.relocate(memory, base, defined, stubs)
    protect = _protect()
    if protect is None or protect(base, length, _READ_EXECUTE):
        raise _Unsupported
    return Image(memory, {name: base + defined[name] for name in symbols})


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@functools.cache
def _protect() -> Any:
    """Return the C library's `mprotect`, or None."""
    try:
        function = _process().mprotect
    except (AttributeError, OSError, TypeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


@functools.cache
def _in_process(name: str) -> int:
    """Return the address of a C function of this process."""
    try:
        function = getattr(_process(), name)
    except AttributeError:
        raise _Unsupported from None
    return ctypes.cast(function, ctypes.c_void_p).value or 0
