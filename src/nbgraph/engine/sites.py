"""The line of user code that pushed an operation.

A push keeps the code object and the instruction; line and names are computed on request. Frames
of nbgraph itself are skipped. The compiled core has numbers for lines and names.
"""

import sys
import threading
from types import CodeType
from typing import Any, NamedTuple

from nbgraph.scopes import forkable
from nbgraph.tracebacks import file_label, is_own


class Site(NamedTuple):
    """A line of user code.

    >>> str(Site("losses.py", 12, "train"))
    'losses.py:12 in train'
    """

    filename: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{file_label(self.filename)}:{self.line} in {self.function}"


def caller(depth: int = 1) -> tuple[CodeType, int]:
    """Return code and instruction of the nearest frame outside nbgraph, from `depth` frames up."""
    frame = sys._getframe(depth + 1)
    while is_ours(frame.f_code):
        outer = frame.f_back
        if outer is None:
            break
        frame = outer
    return frame.f_code, frame.f_lasti


_OURS: dict[int, CodeType] = {}  # code of this package by id; kept alive, so that ids stay unique
_MOST = 4096
OURS = -2  # marks a line of the package among numbers of lines
_SHIFT = 48  # of the instruction in the key of a line: addresses of objects have fewer bits


def is_ours(code: CodeType) -> bool:
    """Return whether code belongs to nbgraph itself."""
    if id(code) in _OURS:
        return True
    if not is_own(code.co_filename):
        return False
    if len(_OURS) < _MOST:
        _OURS[id(code)] = code
    return True


def site(code: CodeType, instruction: int) -> Site:
    """Return the line of an instruction.

    >>> code = compile("a = 1", "some.py", "exec")
    >>> site(code, 2)
    Site(filename='some.py', line=1, function='<module>')
    """
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    return Site(code.co_filename, line, code.co_qualname)


class InternedNames:
    """Numbers that stand in the core for names of operations and for lines of user code.

    They are never freed: `names` and `sites` by number, `site_ids` by `id` of the code object and
    instruction. The code objects are kept alive too, so that their ids stay unique.
    """

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.sites: list[Site] = [Site("?", 0, "?")]
        self.site_ids: dict[int, int] = {}
        self._name_ids: dict[str, int] = {"": 0}
        self._codes: list[CodeType] = []
        self.forget_threads()

    def forget_threads(self) -> None:
        """Replace the lock in a forked child: a thread that is not here may hold it."""
        self._lock = forkable(threading.RLock())

    def name(self, name: str) -> int:
        """Return the number of a name."""
        number = self._name_ids.get(name)
        if number is None:
            with self._lock:
                number = self._name_ids.setdefault(name, len(self.names))
                if number == len(self.names):
                    self.names.append(name)
        return number

    def site(self, code: CodeType, instruction: int) -> int:
        """Return the number of a line of user code."""
        key = id(code) + (instruction << _SHIFT)
        number = self.site_ids.get(key)
        if number is None:
            with self._lock:
                number = self.site_ids.setdefault(key, len(self.sites))
                if number == len(self.sites):
                    self.sites.append(site(code, instruction))
                    self._codes.append(code)
        return max(number, 0)  # 0 instead of OURS: a line of the package without a user's caller

    def site_at(self, frame: Any) -> int:
        """Return the number of the nearest line outside nbgraph, from `frame` up."""
        site_ids = self.site_ids
        while True:
            code = frame.f_code
            key = id(code) + (frame.f_lasti << _SHIFT)
            number = site_ids.get(key)
            if number is not None and number != OURS:
                return number
            outer = frame.f_back
            if outer is None or (number is None and not is_ours(code)):
                return self.site(code, frame.f_lasti)
            if number is None and id(code) in _OURS:
                site_ids[key] = OURS
            frame = outer
