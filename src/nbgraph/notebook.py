"""Integration with IPython: tracebacks without frames of nbgraph, failed arrays that raise when a
cell displays them, unobserved failures reported at the end of a cell, and operators that
`%autoreload` updates.
"""

from __future__ import annotations

import _thread
import functools
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import Any

from nbgraph.tracebacks import passes, session, shorten

_attended: weakref.WeakSet[Any] = weakref.WeakSet()  # sessions with our hooks
_reports: list[Callable[[], None]] = []


def after_cell(report: Callable[[], None]) -> None:
    """Call `report` whenever a cell of a notebook has ended."""
    _reports.append(report)


def attend() -> None:
    """Install the hooks in the session of IPython that runs this process, if there is one.

    An existing custom handler of exceptions is kept.
    """
    shell = session()
    if shell is None or shell in _attended:
        return
    _attended.add(shell)
    if not shell.custom_exceptions:
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show)
    shell.events.register("post_run_cell", _ended)
    _follow_reloads()
    sys.unraisablehook = functools.partial(_dropped, sys.unraisablehook)
    hook = shell.displayhook
    hook.compute_format_data = _raising(hook.compute_format_data)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Show the error of a cell; see `InteractiveShell.set_custom_exc`."""
    if passes(error):
        shorten(error)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)


def _raising(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap the formatter of a cell's result, so that it raises the error of a failed array.

    Single formatters cannot raise it, because IPython catches their errors.
    """

    @functools.wraps(compute)
    def checked(result: Any) -> Any:
        if type(result).__module__.startswith("nbgraph."):
            getattr(result, "wait_to_read", _nothing)()
        return compute(result)

    return checked


def _dropped(hook: Callable[[Any], object], what: Any) -> None:
    """Repeat an interrupt that came within a finaliser, where Python ignores it: a loop over arrays
    spends much of its time in their finalisers."""
    if what.exc_type is not KeyboardInterrupt:
        hook(what)
    elif threading.current_thread() is threading.main_thread():
        _thread.start_new_thread(_interrupt, ())  # raised here, it would be ignored again


def _interrupt() -> None:
    time.sleep(0.001)
    _thread.interrupt_main()


def _nothing() -> None:
    """Do nothing."""


def _ended(result: object = None) -> None:
    _follow_reloads()  # the extension may have been loaded in this cell
    for report in _reports:
        report()


def _follow_reloads() -> None:
    """Let IPython's autoreload update imported operators and traced functions in place, as it does
    for functions: by replacing their code."""
    rules = getattr(sys.modules.get("IPython.extensions.autoreload"), "UPDATE_RULES", None)
    if rules is not None and (_renewable, _renew) not in rules:
        rules.append((_renewable, _renew))


def _renewable(old: Any, new: Any) -> bool:
    own = type(old) is type(new) and type(old).__module__.startswith("nbgraph.")
    return own and all(isinstance(getattr(x, "__wrapped__", 0), FunctionType) for x in (old, new))


def _renew(old: Any, new: Any) -> None:
    for part in ("__code__", "__defaults__", "__kwdefaults__"):
        setattr(old.__wrapped__, part, getattr(new.__wrapped__, part))
