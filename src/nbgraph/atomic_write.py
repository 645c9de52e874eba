"""Atomic writes of files, which appear completely or not at all."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Generator[Path]:
    """Yield the name of a temporary file to write, which replaces `path` when the block ends
    without an error.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "text")
    >>> with atomic_write(target) as file:
    ...     _ = file.write_text("new")
    ...     target.exists()
    False
    >>> target.read_text()
    'new'
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.urandom(8).hex()}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        own = (None, str(temporary))  # no name where the disk is full
        if isinstance(error, OSError) and error.errno and error.filename in own:
            error.filename = str(target)
        raise
