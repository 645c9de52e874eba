"""Records with MXNet's packed header, which has a label and a number, before any payload.

A header is 24 bytes: flag (uint32), label (float32), id and id2 (uint64), little-endian. With
flag 0 the label is that of the header; otherwise `flag` labels (float32) follow the header.
"""

import struct
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import images

_HEADER = struct.Struct("<IfQQ")
HEADER_DTYPE = np.dtype([("flag", "<u4"), ("label", "<f4"), ("id", "<u8"), ("id2", "<u8")])


class IRHeader(NamedTuple):
    """The header before the payload of a packed record.

    Parameters
    ----------
    flag : int
        Number of labels that follow the header, or 0; `pack` computes it.
    label : float or float32 array
    id, id2 : int
        The number of the record, and a second number, such as its higher 64 bits.
    """

    flag: int
    label: Any
    id: int
    id2: int


def pack(header: IRHeader | tuple[int, Any, int, int], s: bytes) -> bytes:
    """Return a header and a payload as bytes, to be written as a record.

    >>> header, payload = unpack(pack(IRHeader(0, [1.0, 2.0], 7, 0), b"payload"))
    >>> header.flag, header.label.tolist(), header.id, payload
    (2, [1.0, 2.0], 7, b'payload')
    """
    _, label, id, id2 = header
    try:
        if np.ndim(label) == 0:
            return _HEADER.pack(0, float(label), id, id2) + s
        labels = np.ascontiguousarray(label, "<f4")
        return _HEADER.pack(labels.size, 0.0, id, id2) + labels.tobytes() + s
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"pack: {header!r} does not fit ({error}); expected a label of float32 and id, id2 "
            "from 0 to 2**64 - 1"
        ) from error


def unpack(s: bytes) -> tuple[IRHeader, bytes]:
    """Split a packed record into its header and its payload.

    Raises
    ------
    DataError
        The record is shorter than its header says.
    """
    if len(s) < _HEADER.size:
        raise DataError(
            f"unpack: a record of {len(s)} bytes; its header alone takes {_HEADER.size}: it was "
            "not made by pack"
        )
    header = IRHeader(*_HEADER.unpack_from(s))
    start = _HEADER.size + 4 * header.flag
    if start > len(s):
        raise DataError(
            f"unpack: the header says {header.flag} labels, and {len(s) - _HEADER.size} bytes "
            "follow: the record is damaged, or was not made by pack"
        )
    if header.flag:
        labels = np.frombuffer(s, "<f4", header.flag, _HEADER.size).astype(np.float32)
        header = header._replace(label=labels)
    return header, s[start:]


def pack_img(
    header: IRHeader | tuple[int, Any, int, int], img: Any, quality: int = 95, img_fmt: str = ".jpg"
) -> bytes:
    """Encode an image as a packed record.

    Parameters
    ----------
    header : IRHeader
    img : uint8 array (H, W), (H, W, 1), (H, W, 3) or (H, W, 4)
        Grey, or red, green, blue and, for PNG, alpha.
    quality : int
        1 to 100 for JPEG; for PNG the compression level, 0 to 9.
    img_fmt : str
        ".jpg" or ".png", or another format that Pillow writes.

    >>> grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    >>> _, image = unpack_img(pack_img(IRHeader(0, 1.0, 0, 0), grey, 9, ".png"), iscolor=0)
    >>> bool((image == grey).all())
    True
    """
    return pack(header, images.encode(img, quality, img_fmt))


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[IRHeader, np.ndarray[Any, Any]]:
    """Return the header of a packed record and its image.

    Parameters
    ----------
    s : bytes
    iscolor : int
        1: (H, W, 3), red, green and blue; 0: (H, W), grey; -1: the mode of the image.

    Note that OpenCV, and so MXNet, has blue first.
    """
    header, payload = unpack(s)
    return header, images.decode(payload, {1: "RGB", 0: "L"}.get(iscolor))
