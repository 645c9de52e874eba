"""The line about long compilations: when it comes, what it says, how it goes."""

import io
import threading
import types

import pytest

import nbgraph as ng
from nbgraph.codegen.making import progress
from nbgraph.codegen.making.events import compiling, in_background


@pytest.fixture
def line(monkeypatch):
    """A line of its own with a clock that stands; its thread looks at nothing by itself."""
    made = progress.Line()
    made.now = 100.0
    monkeypatch.setattr(progress, "_line", made)
    monkeypatch.setattr(progress, "clock", lambda: made.now)
    monkeypatch.setattr(progress, "_EVERY", 3600.0)
    return made


def process(monkeypatch, stream, modules=()):
    """What the line is told of the process (pytest has a standard error of its own)."""
    known = types.SimpleNamespace(stderr=stream, modules=dict(modules))
    monkeypatch.setattr(progress, "sys", known)


@pytest.fixture
def terminal(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    process(monkeypatch, stream)
    with ng.config(progress=1):
        yield stream


def seen(stream):
    """What a person sees on the line: the text after the last return."""
    return stream.getvalue().rsplit("\r", 1)[-1].strip()


def compiled(line, seconds, name="k"):
    with compiling(name, "llvm") as note:
        line.now += seconds
        line.look()
        note("compiled", 1)


def test_a_short_wait_says_nothing(line, terminal):
    compiled(line, 0.4)
    assert terminal.getvalue() == ""


def test_a_long_wait_is_one_line_that_vanishes(line, terminal):
    """NB-03: it is wiped at the end, and no thread is left."""
    with compiling("k", "llvm") as note:
        line.now += 0.6
        line.look()
        assert seen(terminal) == "nbgraph: compiling kernel 1 (0.6 s) ..."
        line.now += 1
        line.look()
        assert seen(terminal) == "nbgraph: compiling kernel 1 (1.6 s) ..."
        assert "\n" not in terminal.getvalue()
        note("compiled", 1)
    assert seen(terminal) == "" and terminal.getvalue().endswith("\r")
    assert all(t.name != "nbgraph progress" for t in threading.enumerate())


def test_waits_together_count_and_say_how_many_there_are(line, terminal):
    """3 of 12: those found on disk are not among them."""
    with progress.waiting("graph", 3):
        compiled(line, 0.3)
        assert terminal.getvalue() == ""
        compiled(line, 0.3)
        assert seen(terminal) == "nbgraph: compiling 2 of 3 kernels (0.6 s) ..."
        with compiling("found", "llvm") as note:
            note("disk", 1)
        compiled(line, 0.3)
        assert seen(terminal) == "nbgraph: compiling 3 of 3 kernels (0.9 s) ..."
    assert seen(terminal) == ""


def test_waits_close_to_each_other_are_one(line, terminal):
    compiled(line, 0.4)
    line.now += 0.1
    compiled(line, 0.2)
    assert "compiling kernel 2 (0.6 s)" in terminal.getvalue()
    length = len(terminal.getvalue())
    line.now += 5
    compiled(line, 0.4)
    assert len(terminal.getvalue()) == length


def test_what_nobody_waits_for_is_not_told(line, terminal):
    with in_background():
        compiled(line, 5)
    assert terminal.getvalue() == ""


def test_a_setting_turns_it_off(line, terminal):
    with ng.config(progress=0):
        compiled(line, 5)
    assert terminal.getvalue() == ""


def test_pipes_get_nothing(line, monkeypatch):
    stream = io.StringIO()
    process(monkeypatch, stream)
    with ng.config(progress=1):
        compiled(line, 5)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_leaves_nothing_behind(line, terminal, error):
    """NB-03: the line is gone, the thread too, and the next wait begins anew."""
    with pytest.raises(error), progress.waiting("graph", 2), compiling("k", "llvm"):
        line.now += 1
        line.look()
        raise error
    assert seen(terminal) == "" and line.calm.is_set()
    assert all(t.name != "nbgraph progress" for t in threading.enumerate())


def test_a_closed_stream_does_no_harm(line, terminal):
    with compiling("k", "llvm") as note:
        line.now += 1
        terminal.close()
        line.look()
        note("compiled", 1)


def test_a_notebook_shows_one_display(line, monkeypatch):
    """It is made once, updated, and says in the end what was done."""
    shown = []

    class Handle:
        def update(self, data, *, raw):
            assert raw
            shown.append(("update", data["text/plain"]))

    def display(data, *, raw, display_id):
        assert raw and display_id is True
        shown.append(("display", data["text/plain"]))
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    modules = {
        "IPython": types.SimpleNamespace(get_ipython=lambda: shell),
        "IPython.display": types.SimpleNamespace(display=display),
    }
    process(monkeypatch, None, modules)
    with ng.config(progress=1), progress.waiting("graph", 2):
        compiled(line, 0.6)
        compiled(line, 0.6)
    assert shown == [
        ("display", "nbgraph: compiling 1 of 2 kernels (0.6 s) ..."),
        ("update", "nbgraph: compiling 2 of 2 kernels (1.2 s) ..."),
        ("update", "nbgraph: compiled 2 kernels (1.2 s)"),
    ]


def test_the_thread_looks_by_itself(monkeypatch, terminal):
    """Without anybody calling `look`: the line comes while one kernel is being compiled."""
    monkeypatch.setattr(progress, "_line", progress.Line())
    monkeypatch.setattr(progress, "_EVERY", 0.001)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    shown = threading.Event()
    write = terminal.write
    terminal.write = lambda text: (write(text), shown.set())[0]
    with compiling("k", "llvm"):
        assert shown.wait(30)
    assert all(t.name != "nbgraph progress" for t in threading.enumerate())
