"""Integration with IPython: tracebacks without frames of nbgraph, failed arrays that raise when a
cell displays them, unobserved failures reported at the end of a cell, and operators that
`%autoreload` updates.
"""

from __future__ import annotations

import functools
import re
import sys
import weakref
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import Any

from nbgraph.foreign import near
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
    hint = _suggestion(error)
    if hint:
        error.add_note(hint)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)


def _suggestion(error: BaseException) -> str:
    """Return what a name that nbgraph lacks may stand for, which IPython does not say."""
    if isinstance(error, ImportError):
        whole, match = str(error.name), re.search(r"import name '(\w+)'", str(error))
        room, name = (whole, match[1]) if match else whole.rpartition(".")[::2]
        try:
            own = room.startswith("nbgraph") and getattr(sys.modules.get(room), name)
        except AttributeError as missing:
            return str(missing).partition("; ")[2]
        return f"here that is `from {room} import {name}`" if own else ""
    if isinstance(error, AttributeError) and "; " not in str(error):
        if type(error.obj).__module__.startswith("nbgraph."):
            return near(str(error.name), [n for n in dir(error.obj) if n[0] != "_"])
    return ""


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
