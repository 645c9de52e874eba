"""Size classes: the bytes of a block for a number of bytes requested.

| strategy   | class of n bytes                                                          |
|------------|---------------------------------------------------------------------------|
| "rounded"  | the next power of two up to 2**24, from there the next multiple of 2**21  |
| "naive"    | n, to the next multiple of 64                                             |
| "unpooled" | the same; a block that is given back is freed                             |
"""

ALIGNMENT = 64  # bytes: a cache line, and the widest vector register
LARGE = 1 << 16  # bytes from which on `take` examines several free blocks for an idle one
_LINEAR = 1 << 24
_STEP = 1 << 21  # a huge page


def rounded(nbytes: int) -> int:
    """Return the next power of two, or from 16 MiB multiple of 2 MiB: under half a block is wasted.

    >>> rounded(1), rounded(100), rounded(2**24), rounded(2**24 + 1) / 2**20
    (64, 128, 16777216, 18.0)
    """
    if nbytes <= ALIGNMENT:
        return ALIGNMENT
    if nbytes <= _LINEAR:
        return 1 << (nbytes - 1).bit_length()
    return -(-nbytes // _STEP) * _STEP


def exact(nbytes: int) -> int:
    """Return `nbytes` rounded up to a multiple of 64, at least 64.

    >>> exact(0), exact(64), exact(65)
    (64, 64, 128)
    """
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)


# strategy -> the size of a class, and whether free blocks are kept
STRATEGIES = {"rounded": (rounded, True), "naive": (exact, True), "unpooled": (exact, False)}


def readable(nbytes: int) -> str:
    """Return a number of bytes as text with a unit.

    >>> readable(0), readable(1536), readable(3 * 2**30)
    ('0 B', '1.5 KiB', '3.0 GiB')
    """
    if nbytes < 1024:
        return f"{nbytes} B"
    size, unit = nbytes / 1024, 0
    while size >= 1024 and unit < 4:
        size /= 1024
        unit += 1
    return f"{size:.1f} {('KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]}"
