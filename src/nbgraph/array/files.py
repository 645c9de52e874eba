"""Arrays in files: `ng.save(path, list_or_dict)`, `ng.load(path)`.

A file is an npz archive, which NumPy reads as well: arrays under their names, those of a list
under their places. bfloat16 is kept as its bits. Nothing is pickled. Arrays lie uncompressed, at
multiples of 64 bytes, so that the file can be mapped into memory.
"""

from __future__ import annotations

import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array, from_host
from nbgraph.array.create import asarray
from nbgraph.atomic_write import atomic_write
from nbgraph.device import Context
from nbgraph.dtype import MXNET_DTYPES, bfloat16, require_supported
from nbgraph.errors import ArgumentError, FormatError, noun
from nbgraph.signatures import checked

HEADER = (0x112).to_bytes(8, "little")
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA  # before the first, the mark is the axes' count


def arrays_of(data: bytes, where: str) -> list[Any] | dict[str, Any]:
    """Return the NumPy arrays of a file's bytes, by name where they have names; FormatError where
    it is damaged, or holds sparse arrays."""
    stream = io.BytesIO(data[len(HEADER) + 8 :])

    def take(dtype: str, count: int) -> np.ndarray[Any, Any]:
        size = min(count * np.dtype(dtype).itemsize, len(data))
        read = stream.read(size)
        if len(read) < size:
            raise FormatError(f"{where} is damaged: it ends too early; write it again")
        return np.frombuffer(read, dtype).copy()

    def number(dtype: str) -> int:
        return int(take(dtype, 1)[0])

    def array() -> np.ndarray[Any, Any]:
        mark = number("<u4")
        if mark in (_V2, _V3) and number("<i4") > 0:
            raise FormatError(f"{where} holds a sparse array; write array.tostype('default') of it")
        versioned = mark in (_V1, _V2, _V3)
        ndim = number("<i4") if versioned else mark
        shape = tuple(take("<i8" if versioned else "<u4", max(ndim, 0)).tolist())
        if ndim < 0 or (ndim == 0 and mark != _V3):  # an array that was never filled
            return np.zeros(0, np.float32)
        _device, kind = take("<i4", 2), number("<i4")
        if not 0 <= kind < len(MXNET_DTYPES):
            raise FormatError(f"{where} holds an array of the unknown dtype {kind}")
        return take(MXNET_DTYPES[kind], math.prod(shape)).reshape(shape)

    arrays = [array() for _ in range(number("<u8"))]
    names = [take("u1", number("<u8")).tobytes().decode() for _ in range(number("<u8"))]
    return dict(zip(names, arrays, strict=True)) if names else arrays


_ABOUT = "nbgraph.json"  # the entry that says what the file holds
_FORMAT = 1
_PREFIX = "array."  # before each name: a name may be anything
_ALIGNED = 64
_HEADER, _ZIP64, _FIELD = 30, 20, 4  # bytes of an entry's header, and of fields in it
_PADDING = 0xD935  # the field that zipalign pads with


@checked
def save(path: str | os.PathLike[str], data: Any) -> None:
    """Write a list or dict of arrays (or one array) to a file; waits for their values.

    Parameters
    ----------
    path : where to; the file appears whole or not at all
    data : NDArray or NumPy array, a list of these, or a dict of them by name (strings)

    >>> import os, tempfile, nbgraph as ng
    >>> path = os.path.join(tempfile.mkdtemp(), "weights")
    >>> ng.save(path, {"w": ng.ones((2, 3)), "b": ng.zeros(3)})
    >>> ng.load(path)["b"]
    array([0., 0., 0.], dtype=float32)
    """
    kind, named = _named(data)
    if Path(path).suffix == ".safetensors":
        raise ArgumentError(
            f"save: {os.fspath(path)!r} asks for safetensors' format, in which modules and "
            "optimizers are saved, by their save(path); give another name for arrays"
        )
    values = {name: _values(name, value) for name, value in named.items()}
    about = {
        "format": _FORMAT,
        "kind": kind,
        "bfloat16": [name for name, value in values.items() if value.dtype.name == "bfloat16"],
    }
    with atomic_write(path) as temporary, temporary.open("xb") as file:
        _write(file, about, values)


@checked
def load(path: str | os.PathLike[str], *, device: Context | None = None, mmap: bool = False) -> Any:
    """Return what `save` wrote: a list, a dict or one array, as it was given.

    Parameters
    ----------
    path : the file; NumPy's own npz and npy files are read, too, and MXNet's (`net-0001.params`)
    device : Context, optional, where the arrays are put
    mmap : whether arrays on the host are the file itself, which is read as elements are: they
        cannot be written, and the file has to stay as it is. What is compressed, or not aligned as
        `save` has it, is copied; checksums are not looked at.

    Raises
    ------
    FormatError (a ValueError) where the file is none of these.

    >>> import tempfile, nbgraph as ng
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ng.save(f"{folder}/weights", {"w": ng.ones(2)})
    ...     ng.load(f"{folder}/weights")
    {'w': array([1., 1.], dtype=float32)}
    """
    place = chunk.CPU if device is None else device
    with Path(path).open("rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
        except (ValueError, EOFError, zipfile.BadZipFile):
            file.seek(0)
            if b'"nbgraph symbol"' in file.read(64):
                raise FormatError(
                    f"load: {os.fspath(path)!r} holds a symbol; read it with ng.load_symbol"
                ) from None
            file.seek(0)
            data = file.read()
            if data.startswith(HEADER):
                arrays = arrays_of(data, f"load: {os.fspath(path)!r}")
                if isinstance(arrays, list):
                    return [from_host(array, place) for array in arrays]
                return {name: from_host(array, place) for name, array in arrays.items()}
            raise FormatError(
                f"load: {os.fspath(path)!r} is not a file of arrays, or is damaged; give one that "
                "ng.save or np.savez wrote"
            ) from None
        if isinstance(archive, np.ndarray):
            mapped = mapped_at(path, 0) if mmap and place.host else None
            return _placed("load", archive if mapped is None else mapped, place, mapped is not None)
        with archive:
            return _read(os.fspath(path), archive, place, mmap=mmap and place.host)


# writing ----------------------------------------------------------------------------------------


def _named(data: Any) -> tuple[str, dict[str, Any]]:
    """Return the arrays to save, by name, and the kind of structure they came in."""
    if isinstance(data, Mapping):
        for name in data:
            if not isinstance(name, str):
                raise ArgumentError(f"save: the name {name!r} is {noun(name)}; names are strings")
        return "dict", dict(data)
    if isinstance(data, (Array, np.ndarray)):
        return "array", {"0": data}
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return "list", {str(i): value for i, value in enumerate(data)}
    raise ArgumentError(f"save: data is {noun(data)}; expected save(path, array, list or dict)")


def _values(name: str, value: Any) -> np.ndarray[Any, Any]:
    read = getattr(value, "asnumpy", None)
    if not isinstance(value, (Array, np.ndarray, np.generic)):
        raise ArgumentError(
            f"save: {name!r} is {noun(value)}; a list or dict holds arrays only, with "
            "nothing nested in it"
        )
    values = np.asarray(value) if read is None else read()
    return _plain(f"save: {name!r}", values)


def _plain(what: str, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return value.astype(require_supported(value.dtype, what), copy=False)


def _write(file: Any, about: dict[str, Any], values: Mapping[str, np.ndarray[Any, Any]]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(_ABOUT, json.dumps(about))
        for name, value in values.items():
            bits = value.view(np.uint16) if name in about["bfloat16"] else value
            with archive.open(
                _aligned(file, f"{_PREFIX}{name}.npy"), "w", force_zip64=True
            ) as entry:
                np.lib.format.write_array(entry, np.asanyarray(bits), allow_pickle=False)


def _aligned(file: Any, name: str) -> zipfile.ZipInfo:
    """Return an entry whose data begin at a multiple of 64: its header is made longer by a field
    that readers skip. The header of an npy array is a multiple of 64 itself."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    begins = file.tell() + _HEADER + len(name.encode()) + _ZIP64 + _FIELD
    entry.extra = struct.pack("<HH", _PADDING, -begins % _ALIGNED) + bytes(-begins % _ALIGNED)
    return entry


# reading ----------------------------------------------------------------------------------------


def mapped_at(path: str | os.PathLike[str], offset: int) -> np.ndarray[Any, Any] | None:
    """Return the array in npy format there, in the file's memory, or None where it cannot be."""
    with Path(path).open("rb") as file:
        file.seek(offset)
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(file)
        begins = file.tell()
    if dtype.hasobject or not dtype.isnative or begins % dtype.alignment or 0 in shape:
        return None
    order: Literal["F", "C"] = "F" if fortran else "C"
    return np.asarray(np.memmap(path, dtype, "r", begins, shape, order))


def _mapped_entry(path: str, archive: Any, name: str) -> np.ndarray[Any, Any] | None:
    """Return an array of an archive in the file's memory, or None where it is to be read."""
    info = archive.zip.getinfo(name if name in archive.zip.namelist() else f"{name}.npy")
    if info.compress_type != zipfile.ZIP_STORED:
        return None
    with Path(path).open("rb") as file:
        file.seek(info.header_offset)
        name_length, extra_length = struct.unpack_from("<HH", file.read(_HEADER), _HEADER - 4)
    return mapped_at(path, info.header_offset + _HEADER + name_length + extra_length)


def _placed(what: str, value: np.ndarray[Any, Any], place: Context, mapped: bool) -> Any:
    return (
        asarray(_plain(what, value), device=place)
        if mapped
        else from_host(_plain(what, value), place)
    )


def _read(path: str, archive: Any, place: Context, *, mmap: bool) -> Any:
    about = json.loads(archive[_ABOUT]) if _ABOUT in archive.files else {"kind": "dict"}
    if about.get("format", _FORMAT) != _FORMAT:
        raise ValueError(
            f"load: {path!r} has format {about['format']}, this version reads {_FORMAT}; install a "
            "newer nbgraph"
        )
    arrays: dict[str, Any] = {}
    for entry in archive.files:
        if entry == _ABOUT:
            continue
        name = entry.removeprefix(_PREFIX) if "format" in about else entry
        try:
            mapped = _mapped_entry(path, archive, entry) if mmap else None
            value = archive[entry] if mapped is None else mapped
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"load: {path!r}: {name!r} cannot be read ({error})") from None
        if name in about.get("bfloat16", ()):
            value = value.view(bfloat16())
        arrays[name] = _placed(f"load: {name!r}", value, place, mapped is not None)
    if about["kind"] == "array":
        return arrays["0"]
    return list(arrays.values()) if about["kind"] == "list" else arrays
