"""Random draws of a text that runs in Python: the numbers that kernels would draw.

The text runs with the drawing functions replaced by those that capture traces. Python's own frames
tell the place of a draw in the text, and the calls that led there.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from types import CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from nbgraph.errors import NbgraphError
from nbgraph.kernels.capture.draws import Place, text_of
from nbgraph.kernels.capture.library.random_draws import OF_CLASSES, bits, class_of, word_of
from nbgraph.kernels.capture.names import is_own_text, plain_function
from nbgraph.kernels.function.scalar_function import WrittenFunction

_INNER = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")  # frames without a call


def drawing(fn: FunctionType, seen: dict[FunctionType, FunctionType] | None = None) -> Any:
    """Return a copy of a function, and of its helpers, that draws by the texts of capture."""
    seen = {} if seen is None else seen
    if fn in seen:
        return seen[fn]
    space = dict(fn.__globals__)
    cells = [CellType() for _ in fn.__closure__ or ()]
    copy = FunctionType(fn.__code__, space, fn.__name__, fn.__defaults__, tuple(cells) or None)
    copy.__kwdefaults__ = fn.__kwdefaults__
    seen[fn] = copy
    for name in _names(fn.__code__) & space.keys():
        space[name] = _replaced(space[name], seen)
    for cell, own in zip(cells, fn.__closure__ or (), strict=True):
        try:
            cell.cell_contents = _replaced(own.cell_contents, seen)
        except ValueError:  # no value yet
            continue
    return copy


def _names(code: CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def _replaced(value: Any, seen: dict[FunctionType, FunctionType]) -> Any:
    """Return the replacement of a value that a text reads."""
    text = text_of(value)
    if text is not None:
        return text
    if _draws(value):
        return _Source(value)
    scalar: Any = getattr(value, "scalar", None)
    inner = scalar.fn if isinstance(scalar, WrittenFunction) else plain_function(value)
    if isinstance(inner, FunctionType) and not is_own_text(inner):
        return drawing(inner, seen)
    return value


def _draws(value: Any) -> bool:
    """Return whether an object, or its attributes, have methods that draw."""
    if isinstance(value, ModuleType):
        return value.__name__ in ("random", "numpy", "numpy.random")
    return class_of(value) in OF_CLASSES


class _Source:
    """A module or a generator, whose drawing methods are replaced by texts."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        text = text_of(value)
        return text if text is not None else _Source(value) if _draws(value) else value


def run(word: int, places: Mapping[Place, int], text: Callable[[], Any]) -> Any:
    """Return the text's result for the element of a word; `places` numbers the draws."""
    met: dict[int, int] = {}

    def source() -> int:
        number = _number(_place(sys._getframe(2)), places)
        met[number] = met.get(number, -1) + 1
        return int(word_of(word, number, met[number]))

    with bits.come_from(source):
        return text()


def _number(place: Place, places: Mapping[Place, int]) -> int:
    """Return the number of a place; for one reached by other calls, that of the only equal one."""
    if place in places:
        return places[place]
    same = [number for other, number in places.items() if other[:1] == place[:1]]
    if len(same) != 1:
        where = ", line ".join(map(str, place[0][:2])) if place else "this line"
        raise NbgraphError(
            f"{where}: compiler='python' cannot tell which draw of the kernel this is; draw in a "
            "statement of its own"
        )
    return same[0]


def _place(frame: FrameType | None) -> Place:
    """Return the position in the user's text, through all calls; see `capture.draws`."""
    frames: list[tuple[str, int, int]] = []
    inner = False
    while frame is not None:
        own = str(frame.f_globals.get("__name__")).startswith("nbgraph.")
        if own and frames:
            break
        if not own and not inner:
            line, column = _positions(frame.f_code)[frame.f_lasti // 2]
            frames.append((frame.f_code.co_filename, line, column))
        inner = not own and frame.f_code.co_name in _INNER
        frame = frame.f_back
    return tuple(frames)


@functools.lru_cache(maxsize=256)
def _positions(code: CodeType) -> tuple[tuple[int, int], ...]:
    """Return line and column of each instruction."""
    return tuple((line or 0, column or 0) for line, _, column, _ in code.co_positions())
