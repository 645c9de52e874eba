"""Display of uncaught errors with the frames of user code only, without those of nbgraph.

`ng.config.debug = 1` and `NBGRAPH_DEBUG=1` show all frames. Debuggers (`%debug`, `pdb.pm()`) always
have them.
"""

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

OWN = (str(Path(__file__).parent) + os.sep, "<nbgraph.")  # files, and generated code


@functools.cache
def _foreign() -> tuple[str, ...]:
    """Return the prefixes of file names that are not user code."""
    import sysconfig  # loads a large module of the interpreter's build

    return (*(p + os.sep for p in {*sysconfig.get_paths().values()}), "<frozen ", "<__array_")


def of_user(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the frames of nbgraph and of libraries that it calls, or
    unchanged if no other frame is left.

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
        compiled = inside and filename.endswith(".pyx")  # of Cython, without a folder
        inside = compiled or filename.startswith((*OWN, *_foreign()) if inside else OWN)
        if not inside:
            frames.append(each)
        each = each.tb_next
    short = None
    for each in reversed(frames):
        short = TracebackType(short, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return short or trace


def is_own(filename: str) -> bool:
    """Return whether a file belongs to nbgraph."""
    return filename.startswith(OWN)


def session() -> Any:
    """Return the session of IPython that runs this process, or None."""
    ipython: Any = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def file_label(filename: str) -> str:
    """Return a file's name for messages; for a notebook's cell, IPython's name of the cell.

    >>> file_label("losses.py"), file_label("<stdin>")
    ('losses.py', '<stdin>')
    """
    shell = session()
    if shell is not None:
        try:
            label = shell.compile.format_code_name(filename)
        except Exception:  # another version of IPython
            label = None
        if label:
            return " ".join(label)
    return filename


def place_label(place: str) -> str:
    """Return a place of `kernels.scalar.wording.place` for messages, with the number of a cell.

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
    """Yield an error and its chain of causes and contexts."""
    each, seen = error, set[int]()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)


def passes(error: BaseException) -> bool:
    """Return whether the traceback of an error, or of its causes, has frames of nbgraph."""
    return any(any(_own_frames(each)) for each in _chain(error))


def _own_frames(error: BaseException | None) -> Iterator[bool]:
    """Yield for each frame of the traceback whether it belongs to nbgraph."""
    trace = None if error is None else error.__traceback__
    while trace is not None:
        yield is_own(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next


@contextmanager
def shortened(error: BaseException) -> Generator[None]:
    """Within the block, reduce the tracebacks of an error and its causes to user code."""
    before = [(e, e.__traceback__, e.__suppress_context__) for e in _chain(error)]
    if not config.debug:
        for each, trace, _ in before:
            if each.__cause__ is None and all(_own_frames(each.__context__)):
                each.__suppress_context__ = True
            each.__traceback__ = of_user(trace)
    try:
        yield
    finally:
        for each, trace, suppressed in before:
            each.__traceback__, each.__suppress_context__ = trace, suppressed


def in_notebook(error: BaseException) -> list[str]:
    """Return the lines that IPython displays for an error."""
    from IPython.core.getipython import get_ipython

    handler: Any = get_ipython()
    with shortened(error):
        lines = handler.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
    return list(lines)


def _current() -> list[str]:
    error = sys.exc_info()[1] or getattr(sys, "last_value", None)
    return in_notebook(error) if error is not None else []


def shorten(error: BaseException) -> None:
    """Let an error that passes through nbgraph be displayed like nbgraph's errors, if uncaught.

    The attribute is a function of this module, so it keeps no frames alive and can be pickled.
    """
    install()
    if not hasattr(error, "_render_traceback_"):
        with suppress(AttributeError):  # a class with slots
            error._render_traceback_ = _current  # type: ignore[attr-defined]


def install() -> None:
    """Install the hook for uncaught errors of nbgraph, unless another hook is installed."""
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
