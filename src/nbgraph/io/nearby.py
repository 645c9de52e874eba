"""What is in a folder where a file is not."""

from __future__ import annotations

import difflib
from pathlib import Path

from nbgraph.errors import DataError


def require_file(path: str) -> None:
    """Raise DataError where a file of this machine is not there, or is empty.

    >>> require_file("/no/such/file")
    Traceback (most recent call last):
    ...
    nbgraph.errors.DataError: there is no file /no/such/file: its folder is not there, / is
    """
    if not Path(path).is_file():
        raise absent(path)
    if not Path(path).stat().st_size:
        raise DataError(f"{path} is empty: it has 0 bytes")


def absent(path: str) -> DataError:
    """Return the error of a file that is not there: it names what is near."""
    if "://" in path:
        return DataError(f"there is no file {path}")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        parent = next(each for each in folder.parents if each.is_dir())
        return DataError(f"there is no file {path}: its folder is not there, {parent} is")
    present = sorted(each.name for each in folder.iterdir())
    near = difflib.get_close_matches(Path(path).name, present, n=3, cutoff=0.5) or present[:3]
    if not near:
        return DataError(f"there is no file {path}: its folder is empty")
    more = "" if len(near) == len(present) else f" and {len(present) - len(near)} more"
    return DataError(f"there is no file {path}: its folder has {', '.join(near)}{more}")
