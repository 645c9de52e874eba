"""An uncaught error shows the user's own lines and the message; all frames where asked for."""

import ast
import re
import statistics
import sysconfig
import textwrap
import traceback
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import nbgraph as ng
from benchmarks import people
from nbgraph.tracebacks import of_user
from tests.support import child, run_python

PLACES = {
    "matmul": ("ng.ones((2, 3)) @ ng.ones((4, 5))", 6),
    "broadcast": ("ng.ones((2, 3)) + ng.ones((4, 5))", 6),
    "axis": ("ng.sum(ng.ones(3), axis=4)", 6),
    "reshape": ("ng.ones(6).reshape(4, 2)", 6),
    "gradient": ("ng.grad(lambda x: x * 2)(ng.ones(3))", 6),
    "name": ("ng.no_such_function", 6),
    "member": ("ng.nd.no_such_function", 6),
    "late": ("@ng.op\ndef late(x):\n    return later(x)\nlate(1.0)", 12),
    "traced": ("@ng.jit\ndef h(x):\n    return x @ ng.ones((9, 9))\nh(ng.ones((2, 3)))", 14),
    "symbol": ("(ng.var('x') @ ng.var('y')).infer_shape(x=(2, 3), y=(4, 5))", 9),
}


@pytest.fixture
def shell():
    shell = InteractiveShell.instance(colors="nocolor")
    shell.user_ns["ng"] = ng
    yield shell
    InteractiveShell.clear_instance()


def shown(shell, capsys, text):
    shell.run_cell(text)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", PLACES)
def test_a_notebook_shows_the_cell_and_the_message(shell, capsys, name):
    text, most = PLACES[name]
    out = shown(shell, capsys, text)
    assert re.search(r"^(\w*Error|NotYetDefined|MissingName): ", out, re.MULTILINE)
    assert "Cell In[" in out
    assert "nbgraph/" not in out.replace("nbgraph/tests", "")
    assert len(out.strip().splitlines()) <= most


def test_debug_shows_all_frames(shell, capsys):
    with ng.config(debug=1):
        assert "operator/" in shown(shell, capsys, PLACES["axis"][0])


def test_frames_of_a_function_that_nbgraph_calls_are_shown(shell, capsys):
    text = "def inner(x):\n    return x + ng.ones(7)\nng.grad(inner)(ng.ones(2))"
    out = shown(shell, capsys, text)
    assert "in inner(x)" in out
    assert "return x + ng.ones(7)" in out


def script(tmp_path, text):
    file = tmp_path / "script.py"
    file.write_text("import nbgraph as ng\n" + textwrap.dedent(text))
    ran = child(file)
    assert ran.returncode == 1
    return ran.stderr


def test_a_script_shows_its_own_lines(tmp_path):
    err = script(tmp_path, "def f():\n    return ng.ones(2) + ng.ones(3)\nf()\n")
    assert err.count("File ") == 2
    assert err.strip().splitlines()[-1].startswith("nbgraph.errors.ShapeError: add: ")


def test_a_library_under_a_link_is_known_as_well(tmp_path):
    """Python names its files by the link."""
    (tmp_path / "link").symlink_to(Path(ng.__file__).parents[1], target_is_directory=True)
    (tmp_path / "own.py").write_text("import nbgraph as ng\nng.ones(2) + ng.ones(3)\n")
    ran = child(tmp_path / "own.py", PYTHONPATH=str(tmp_path / "link"))
    assert ran.stderr.count("File ") == 1, ran.stderr


def test_errors_of_others_are_left_alone(tmp_path):
    text = """
        try:
            ng.ones(2) + ng.ones(3)
        except ng.errors.ShapeError:
            import json
        json.loads("{")
    """
    assert "decoder.py" in script(tmp_path, text)


def test_the_exception_keeps_its_frames():
    with pytest.raises(ng.errors.ShapeError) as caught:
        ng.ones(2) + ng.ones(3)
    before = len(caught.traceback)
    InteractiveShell.instance()
    try:
        caught.value._render_traceback_()
    finally:
        InteractiveShell.clear_instance()
    assert len(caught.traceback) == before > 1


def test_the_text_of_a_cell_is_named_as_the_cell(shell, capsys):
    text = "@ng.op\ndef f(x):\n    with open('a'):\n        return x\nf(1.0)"
    out = shown(shell, capsys, text)
    assert re.search(r'File "Cell In\[\d*\]", line 3', out), out
    text = "@ng.op\ndef f(x):\n    if x < 0:\n        raise ValueError('no')\n    return x\nf(-1.0)"
    assert re.search(r"raised at Cell In\[\d+\]:4", shown(shell, capsys, text))


FOREIGN = {
    "push": "x = ng.ones(3)\ndef bad(ctx):\n    return 1 / 0\n"
    "p = ng.engine.push(bad, mutate_vars=[x.variable])\np.result()",
    "array": "x = ng.ones(3)\ndef bad(ctx):\n    return 1 / 0\n"
    "p = ng.engine.push(bad, mutate_vars=[x.variable])\nx.asnumpy()",
    "jit": "@ng.jit\ndef bad(x):\n    return 1 / 0\nbad(ng.ones(3))",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_an_error_of_user_code_passes_without_frames_of_nbgraph(shell, capsys, name):
    out = shown(shell, capsys, FOREIGN[name])
    assert "ZeroDivisionError" in out
    assert out.count("Cell In[") >= 2  # the call, and the line that failed
    assert "nbgraph/" not in out


def test_common_mistakes_are_short_and_completion_is_not_long():
    """What `python -m benchmarks.people` prints."""
    lines = people.traceback_lines()
    assert max(lines.values()) <= 14 and statistics.median(lines.values()) <= 8
    text = "from benchmarks.people import completions; print(completions())"  # no test's operators
    names = ast.literal_eval(run_python("-c", text))
    assert names["ng"] <= 320 and all(names.values())


def test_frames_of_cython_that_nbgraph_calls_are_left_out():
    """An interrupt within an import of SciPy: its extensions name their files without a folder."""

    def called(filename, inner):
        space = {"inner": inner}
        exec(compile("def f():\n    return inner()", filename, "exec"), space)
        return space["f"]

    library = str(Path(ng.__file__).parents[1] / "nbgraph" / "optimize.py")
    installed = str(Path(sysconfig.get_paths()["stdlib"], "threading.py"))
    user = called(library, called("scipy/linalg/_utils.pyx", called(installed, lambda: 1 / 0)))
    try:
        called("<cell>", user)()
    except ZeroDivisionError as error:
        names = [f.filename for f in traceback.extract_tb(of_user(error.__traceback__))]
    assert names == [__file__, "<cell>", __file__]
