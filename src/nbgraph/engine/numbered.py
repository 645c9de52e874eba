"""Numbers that stand in the core for names of operations and for lines of user code."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from nbgraph.engine.sites import OURS, caller, is_kept, is_ours
from nbgraph.engine.sites import site as site_of
from nbgraph.engine.tracked import TrackedEngine

SITE_SHIFT = 48  # in the key of a line: no address of an object has so many bits


class NumberedEngine(TrackedEngine):
    """The part of the threaded engine that gives numbers; they are kept as long as it lives."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._codes: list[CodeType] = []

    def _name_id(self, name: str) -> int:
        found = self._name_ids.get(name)
        if found is None:
            with self._raising:
                found = self._name_ids.setdefault(name, len(self._names))
                if found == len(self._names):
                    self._names.append(name)
        return found

    def site_id(self, above: int = 0) -> int:
        """A number for the line of user code that called, for a `Launcher`; so many callers of
        the caller are ours."""
        return self.site_at(sys._getframe(1 + above))

    def site_at(self, frame: Any) -> int:
        """The same from a frame on."""
        known = self._site_ids
        while True:
            code = frame.f_code
            key = id(code) + (frame.f_lasti << SITE_SHIFT)
            found = known.get(key)
            if found is not None and found != OURS:
                return found
            if frame.f_back is None or not is_ours(code):
                return self._site_of(code, frame.f_lasti)
            if found is None and is_kept(code):
                known[key] = OURS
            frame = frame.f_back

    def _site_id(self) -> int:
        return self._site_of(*caller(2))

    def _site_of(self, code: CodeType, instruction: int) -> int:
        """A number for a line of user code; the code object is kept, so its `id` stays its own."""
        key = id(code) + (instruction << SITE_SHIFT)
        found = self._site_ids.get(key)
        if found is None:
            with self._raising:
                found = self._site_ids.setdefault(key, len(self._sites))
                if found == len(self._sites):
                    self._sites.append(site_of(code, instruction))
                    self._codes.append(code)
        return max(found, 0)  # a line of the package that nobody called
