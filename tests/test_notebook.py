"""A session of IPython shows errors that pass through nbgraph short, raises what a failed array
shows, and reports failures that nobody waits for."""

import functools
import sys
import textwrap

import pytest
from IPython.core.interactiveshell import InteractiveShell

import nbgraph as ng
from nbgraph import notebook, tracebacks
from tests.support import child

FAIL = "x = ng.ones(3)\nng.engine.push(lambda ctx: 1 / 0, mutate_vars=[x.variable], name='load')"


@pytest.fixture
def shell():
    ng.engine.wait_for_all()  # failures of others are not this session's
    shell = InteractiveShell.instance(colors="nocolor")
    notebook.attend()
    shell.user_ns["ng"] = ng
    yield shell
    InteractiveShell.clear_instance()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "last_value", None, raising=False)
        try:
            ng.engine.wait_for_all()
        except ZeroDivisionError:
            pass


def test_an_interrupt_within_a_finaliser_is_not_lost(shell, monkeypatch):
    hook = functools.partial(tracebacks._dropped, sys.unraisablehook)  # pytest has its own in place
    monkeypatch.setattr(sys, "unraisablehook", hook)
    text = """
    import signal, time
    class Slow:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    x = Slow()
    del x
    time.sleep(60)
    """
    assert isinstance(shell.run_cell(textwrap.dedent(text)).error_in_exec, KeyboardInterrupt)


def finished(shell, text):
    """Run a cell whose work has ended when its report is made."""
    shell.user_ns["settle"] = ng.engine.current().stop
    return shell.run_cell(text + "\nsettle()")


@pytest.mark.parametrize(
    "text",
    [
        "ng.ones(3).item()",
        "float(ng.ones(3))",
        "ng.config.engine = 'fast'",
        "ng.load('nowhere.npz')",
        "ng.optimize.minimize(lambda x: x.sum(), ng.ones(3), method='adam')",
        "bool(ng.var('x'))",
    ],
)
def test_errors_of_builtin_types_are_short_too(shell, capsys, text):
    result = shell.run_cell(text)
    out = capsys.readouterr().out
    assert not isinstance(result.error_in_exec, ng.errors.NbgraphError)
    assert len(out.strip().splitlines()) <= 6
    assert "nbgraph/" not in out
    with ng.config(debug=1):
        shell.run_cell(text)
    assert "nbgraph/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ng.ones(3).smu()", "did you mean 'sum'?"),
        ("ng.grad(lambda x: x.smu())(ng.ones(3))", "did you mean 'sum'?"),
        ("ng.var('x').smu()", "did you mean 'sum'?"),
        ("ng.ExpressionGraph().param('a', (3,)).smu()", "did you mean 'sum'?"),
        ("import nbgraph.functional as F", "here that is the functions of ng itself"),
        ("from nbgraph import functional", "here that is the functions of ng itself"),
        ("from nbgraph.nn import Linear", "here that is ng.nn.Dense(units)"),
        ("from nbgraph.random import normal", "here that is `from nbgraph import random`"),
        ("class Own: pass\nOwn().smu", ""),
        ("import nowhere_at_all", ""),
    ],
)
def test_a_name_that_is_missing_is_answered_with_another(shell, capsys, text, hint):
    shell.run_cell(text)
    *_, last = capsys.readouterr().out.strip().splitlines()
    assert last.startswith(hint) if hint else ": " in last


def test_errors_that_do_not_pass_through_nbgraph_are_whole(shell, capsys):
    shell.run_cell("import json; json.loads('{')")
    assert "decoder.py" in capsys.readouterr().out


def test_a_handler_of_others_stays(shell):
    InteractiveShell.clear_instance()
    other = InteractiveShell.instance()
    seen = []
    other.set_custom_exc(
        (KeyError,), lambda shell, kind, error, trace, tb_offset=None: seen.append(kind)
    )
    notebook.attend()
    other.run_cell("{}[1]")
    assert seen == [KeyError]


def test_an_array_that_failed_raises_where_a_cell_shows_it(shell, capsys):
    result = shell.run_cell(f"{FAIL}\nx")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert "in operation 'load', pushed at Cell In[" in capsys.readouterr().out
    assert shell.run_cell("x").error_in_exec is not None
    text = shell.run_cell("shown = repr(x)\nshown").result
    assert "failed in 'load'" in text
    assert shell.run_cell("[x]").success


def test_a_failure_that_nobody_waits_for_is_reported_once_and_stays(shell, capsys):
    finished(shell, FAIL)
    err = capsys.readouterr().err
    assert err.startswith("nbgraph: operation 'load', pushed at Cell In[")
    assert "ZeroDivisionError: division by zero. Nothing has waited for it yet" in err
    assert len(err.splitlines()) == 1
    shell.run_cell("1 + 1")
    assert capsys.readouterr().err == ""
    assert isinstance(shell.run_cell("x.asnumpy()").error_in_exec, ZeroDivisionError)


def test_a_kernel_that_failed_is_reported(shell, capsys):
    finished(shell, "y = ng.take(ng.ones(3), 7)")
    assert "'take', pushed at Cell In[" in capsys.readouterr().err
    result = shell.run_cell("y")
    assert isinstance(result.error_in_exec, ng.errors.IndexingError)


def test_a_failure_that_was_raised_is_not_reported(shell, capsys):
    finished(
        shell,
        f"p = {FAIL.splitlines()[1].replace('x.variable', 'ng.ones(3).variable')}\np.exception()",
    )
    assert "nbgraph:" not in capsys.readouterr().err


def test_at_exit_a_script_shows_its_own_lines_only(tmp_path):
    file = tmp_path / "script.py"
    file.write_text("import nbgraph as ng\n" + FAIL + "\n")
    ran = child(file)
    assert ran.returncode == 0
    assert f"operation 'load', pushed at {file}:3" in ran.stderr
    assert ran.stderr.count("File ") == 1


def test_an_error_of_a_pushed_function_shows_the_lines_of_a_script(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent("import nbgraph as ng\n" + FAIL + "\nx.asnumpy()\n"))
    ran = child(file)
    assert ran.returncode == 1
    assert ran.stderr.count("File ") == 2
    assert ran.stderr.rstrip().endswith(f"in operation 'load', pushed at {file}:3 in <module>")


MODULE = """
import nbgraph as ng
@ng.op
def shifted(x, *, scale={scale}):
    return x * scale + {shift}
@ng.jit
def total(x):
    return shifted(x).sum()
"""


@pytest.mark.parametrize("late", [False, True])
def test_operators_imported_by_name_follow_autoreload(shell, tmp_path, monkeypatch, late):
    """Whenever the extension is loaded; `f` and what a traced function calls, like functions."""
    name, file = f"reloaded{late}", tmp_path / f"reloaded{late}.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    file.write_text(MODULE.format(scale=1.0, shift=1))
    load = "%load_ext autoreload\n%autoreload 2"
    use = f"from {name} import shifted, total\nf = shifted\ng = ng.jit(lambda x: f(x) * 1)"
    for cell in (use, load) if late else (load, use):
        shell.run_cell(cell).raise_error()
    parts = "(shifted(x)[0], f.derivative()(x)[0], g(x)[0], total(x))"
    values = f"x = ng.ones(2)\n[float(v) for v in {parts}]"
    assert shell.run_cell(values).result == [2, 1, 2, 4]
    file.write_text(MODULE.format(scale=3.0, shift=10) + "# another size\n")
    assert shell.run_cell(values).result == [13, 3, 13, 26]
    shell.run_cell("%autoreload 0")
