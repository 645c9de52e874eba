"""The line of user code that pushed an operation.

A push keeps the code object and the instruction; line and names are worked out when somebody
asks. Frames of nbgraph itself are passed over.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep


class Site(NamedTuple):
    """A line of user code.

    >>> str(Site("losses.py", 12, "train"))
    'losses.py:12 in train'
    """

    filename: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{shown(self.filename)}:{self.line} in {self.function}"


def caller(depth: int = 1) -> tuple[CodeType, int]:
    """Code and instruction of the nearest frame outside nbgraph, from `depth` frames up."""
    frame = sys._getframe(depth + 1)
    while is_ours(frame.f_code):
        outer = frame.f_back
        if outer is None:
            break
        frame = outer
    return frame.f_code, frame.f_lasti


_OURS: dict[int, CodeType] = {}  # code of this package by id; kept, so that ids stay their own
_MOST = 4096
OURS = -2  # what stands for a line of the package among numbers of lines


def is_ours(code: CodeType) -> bool:
    """Whether code belongs to nbgraph itself."""
    if id(code) in _OURS:
        return True
    if not code.co_filename.startswith(_PACKAGE):
        return False
    if len(_OURS) < _MOST:
        _OURS[id(code)] = code
    return True


def is_kept(code: CodeType) -> bool:
    """Whether code of nbgraph is kept, so that its `id` tells of it."""
    return id(code) in _OURS


def site(code: CodeType, instruction: int) -> Site:
    """The line of an instruction.

    >>> code = compile("a = 1", "some.py", "exec")
    >>> site(code, 2)
    Site(filename='some.py', line=1, function='<module>')
    """
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    return Site(code.co_filename, line, code.co_qualname)


def shown(filename: str) -> str:
    """A file name as people know it: a notebook's cell is called as IPython calls it.

    >>> shown("losses.py"), shown("<stdin>")
    ('losses.py', '<stdin>')
    """
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        try:
            label = shell.compile.format_code_name(filename)
        except Exception:  # another IPython: the plain name does
            label = None
        if label:
            return " ".join(label)
    return filename
