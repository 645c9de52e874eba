"""What people see of an error: their own lines and the message, not the frames of nbgraph.

`ng.config.debug = 1` and `NBGRAPH_DEBUG=1` show all frames. Debuggers (`%debug`, `pdb.pm()`) always
have them.
"""

from __future__ import annotations

import _thread
import functools
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from nbgraph.settings import config

OWN = (str(Path(__file__).parent) + os.sep, "<nbgraph.")  # files, and functions of tables


@functools.cache
def _foreign() -> tuple[str, ...]:
    """Return how names of files begin that users have not written."""
    import sysconfig  # loads a large module of the interpreter's build

    return (*(p + os.sep for p in {*sysconfig.get_paths().values()}), "<frozen ", "<__array_")


def of_user(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without frames of nbgraph, and of libraries that nbgraph calls; whole
    where no other frame is left.

    >>> import nbgraph as ng
    >>> try:
    ...     ng.ones(2) + ng.ones(3)
    ... except ng.errors.ShapeError as error:
    ...     trace = of_user(error.__traceback__)
    >>> trace.tb_next is None
    True
    """
    frames, inside, each = [], False, trace
    while each is not None:
        filename = each.tb_frame.f_code.co_filename
        compiled = inside and filename.endswith(".pyx")  # of Cython, which names no folder
        inside = compiled or filename.startswith((*OWN, *_foreign()) if inside else OWN)
        if not inside:
            frames.append(each)
        each = each.tb_next
    short = None
    for each in reversed(frames):
        short = TracebackType(short, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return short or trace


def is_own(filename: str) -> bool:
    """Return whether a file is one of nbgraph."""
    return filename.startswith(OWN)


def session() -> Any:
    """Return the session of IPython that runs this process, or None."""
    ipython: Any = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def file_label(filename: str) -> str:
    """Return a file's name as people know it: a notebook's cell as IPython calls it.

    >>> file_label("losses.py"), file_label("<stdin>")
    ('losses.py', '<stdin>')
    """
    shell = session()
    if shell is not None:
        try:
            label = shell.compile.format_code_name(filename)
        except Exception:  # another IPython: the plain name does
            label = None
        if label:
            return " ".join(label)
    return filename


def place_label(place: str) -> str:
    """Return a place of `kernels.scalar.wording.place` as people know it: of a cell its number.

    >>> place_label("losses.py:12"), place_label("cell 2074109483:3")
    ('losses.py:12', 'cell:3')
    """
    if not place.startswith("cell "):
        return place
    text, _, line = place.removeprefix("cell ").rpartition(":")
    for filename in [*getattr(getattr(session(), "compile", None), "_filename_map", ())]:
        if text in filename:
            return f"{file_label(filename)}:{line}"
    return f"cell:{line}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and what it was raised from, or while handling what."""
    each, seen = error, set[int]()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)


def passes(error: BaseException) -> bool:
    """Return whether frames of nbgraph are part of the traceback of an error or of its causes."""
    return any(any(_own(each)) for each in _chain(error))


def _own(error: BaseException | None) -> Iterator[bool]:
    """Yield for each frame of the traceback whether it is one of nbgraph."""
    trace = None if error is None else error.__traceback__
    while trace is not None:
        yield is_own(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next


@contextmanager
def shortened(error: BaseException) -> Generator[None]:
    """Show the error and its causes by the frames of users, within the block."""
    before = [(e, e.__traceback__, e.__suppress_context__) for e in _chain(error)]
    if not config.debug:
        for each, trace, _ in before:
            if each.__cause__ is None and all(_own(each.__context__)):
                each.__suppress_context__ = True
            each.__traceback__ = of_user(trace)
    try:
        yield
    finally:
        for each, trace, suppressed in before:
            each.__traceback__, each.__suppress_context__ = trace, suppressed


def in_notebook(error: BaseException) -> list[str]:
    """Return the lines that IPython shows of an error."""
    from IPython.core.getipython import get_ipython

    handler: Any = get_ipython()
    with shortened(error):
        lines = handler.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
    return list(lines)


def _current() -> list[str]:
    error = sys.exc_info()[1] or getattr(sys, "last_value", None)
    return in_notebook(error) if error is not None else []


def shorten(error: BaseException) -> None:
    """Have an error that passes through nbgraph shown as one of nbgraph's own, if it is uncaught.

    The attribute is a function of this module: it holds no frames, and pickles.
    """
    install()
    if not hasattr(error, "_render_traceback_"):
        with suppress(AttributeError):  # a class with slots alone
            error._render_traceback_ = _current  # type: ignore[attr-defined]


def install() -> None:
    """Have Python show uncaught errors of nbgraph short, unless somebody shows errors already."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not (hasattr(error, "_render_traceback_") and passes(error)):
        sys.__excepthook__(kind, error, trace)
        return
    with shortened(error):
        sys.__excepthook__(kind, error, error.__traceback__)


def _dropped(hook: Callable[[Any], object], what: Any) -> None:
    """Send an interrupt again that came within a finaliser, where Python drops it: a loop over
    arrays spends a tenth of its time in theirs. One that a handler of the user raised stays."""
    trace = what.exc_traceback
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = None if trace is None else trace.tb_frame.f_code
    within = code is not None and (code.co_name == "__del__" or is_own(code.co_filename))
    if within and what.exc_type is KeyboardInterrupt and not sys.is_finalizing():
        _thread.start_new_thread(_interrupt, ())  # not here: this would drop it, too
    else:
        hook(what)


def _interrupt() -> None:
    time.sleep(0.001)
    _thread.interrupt_main()


sys.unraisablehook = functools.partial(_dropped, sys.unraisablehook)
