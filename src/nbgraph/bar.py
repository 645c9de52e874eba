"""A progress bar: one line that is overwritten in a terminal or in the cell of a notebook.

Other outputs (files, pipes) receive only the permanent lines.

>>> line("epoch 1/2", 50, 200, "0:12 left")
'epoch 1/2   25% |#####               | 50/200  0:12 left'
"""

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

OFTEN = 0.1  # seconds between two updates of the line
_WIDTH = 20  # characters of the bar itself

now = time.monotonic


def line(label: str, done: int, total: int | None, note: str = "") -> str:
    """Return the text of a progress bar, or only a count if `total` is not known."""
    if not total:
        return f"{label}  {done}  {note}".rstrip()
    share = min(done / total, 1.0)
    marks = "#" * int(share * _WIDTH)
    return f"{label}  {share:4.0%} |{marks:<{_WIDTH}}| {done}/{total}  {note}".rstrip()


def duration(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds.

    >>> duration(75.2), duration(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def rewrites(file: Any) -> bool:
    """Return whether a text file can overwrite its last line, as a terminal or a notebook can."""
    if type(file).__module__.startswith("ipykernel."):
        return True
    isatty = getattr(file, "isatty", None)
    return isatty is not None and isatty()


class Bar:
    """A progress line at the end of standard output; `write` adds permanent lines above it."""

    def __init__(self, file: Any = None) -> None:
        self._file = sys.stdout if file is None else file
        self._live = rewrites(self._file)
        self._drawn = ""

    def draw(self, label: str, done: int, total: int | None = None, note: str = "") -> None:
        """Show the progress, in a line that is cut at the width of the terminal."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            self._show(line(label, done, total, note)[:width])

    def show(
        self, label: str, done: int = 0, total: int | None = None, note: str = "", text: str = ""
    ) -> None:
        """Show the progress of a labelled task, or write its result `text` as a permanent
        line."""
        if text:
            self.write(f"{label}: {text}")
        else:
            self.draw(label, done, total, note)

    def write(self, text: str) -> None:
        """Write a permanent line."""
        self._show("")
        self._file.write(f"{text}\n")
        self._file.flush()

    def close(self) -> None:
        """Remove the progress line."""
        self._show("")

    def _show(self, text: str) -> None:
        if text == self._drawn:
            return
        blank = " " * (len(self._drawn) - len(text))
        self._file.write(f"\r{text}{blank}" if text else f"\r{blank}\r")
        self._file.flush()
        self._drawn = text


def followed(
    items: Iterable[Any], total: int | None, label: str, *, done: int = 0, shown: bool = True
) -> Iterator[Any]:
    """Yield the items, while a progress bar shows how many are done."""
    bar = Bar() if shown else None
    last = float("-inf")
    try:
        for number, item in enumerate(items, done):
            if bar is not None and now() - last >= OFTEN:
                bar.draw(label, number, total)
                last = now()
            yield item
    finally:
        if bar is not None:
            bar.close()
