"""Mistakes that people make: what the error says, and how much of a notebook it takes.

A row of tests/mistakes/*.txt is the text of a cell and `! Type: words`. An error of a call takes
8 lines in a notebook at most; `! [12] Type: words` allows 12, as for an error within a function
of the user, whose frame is shown too, or one that quotes the user's text.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import nbgraph as ng
from nbgraph import notebook

LINES = 8
ROW = re.compile(r"! (?:\[(\d+)\] )?(\w+): (.*)")
# what cells may use, made where it is named
SETUP = {
    "FIT": "FIT = {'loss': 'mse', 'optimizer': 'adam', 'epochs': 1, 'progress': False}",
    "X": "X, Y = np.ones((4, 2)), np.ones((4, 3))",
    "m": "m = ng.nn.Dense(3)",
    "e": "e = (ng.var('x') * 2).simple_bind(x=(2, 3))",
    "s": "s = ng.sym.FullyConnected(ng.var('x'), num_hidden=3, name='fc')",
    "table": "table = 'a.csv'; Path(table).write_text('a,b\\n1,2\\nx,3\\n')",
    "kv": "kv = ng.kv.create('local'); kv.init('w', ng.ones(3))",
    "g": "g = ng.ExpressionGraph(); a = g.param('a', (3,))",
    "a": "a = ng.ExpressionGraph().param('a', (3,))",
}


class Mistake(NamedTuple):
    """A cell, and what becomes of it."""

    cell: str
    kind: str
    words: str
    lines: int


def read(file):
    """Return the rows of a file."""
    rows = []
    for block in file.read_text(encoding="utf-8").strip().split("\n\n"):
        *cell, expected = block.split("\n")
        lines, kind, words = ROW.fullmatch(expected).groups()
        rows.append(Mistake("\n".join(cell), kind, words, int(lines or LINES)))
    return rows


FILES = sorted(Path(__file__).with_name("mistakes").glob("*.txt"))
MISTAKES = {f"{f.stem}-{i}": row for f in FILES for i, row in enumerate(read(f))}


@pytest.fixture(scope="module")
def session():
    shell = InteractiveShell.instance(colors="nocolor")
    notebook.attend()
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # without the files that cells ask for
    return session


def test_the_table_is_long():
    assert len({row.cell for row in MISTAKES.values()}) == len(MISTAKES) >= 200


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_in_a_few_lines(shell, capsys, name):
    row = MISTAKES[name]
    names = {"np": np, "ng": ng, "Path": Path}
    for each, text in SETUP.items():
        if re.search(rf"\b{each}\b", row.cell):
            exec(text, names)
    shell.user_ns.update(names)
    capsys.readouterr()
    error = shell.run_cell(row.cell).error_in_exec
    shown = capsys.readouterr().out.strip()
    assert type(error).__name__ == row.kind, shown
    assert row.words in str(error)
    assert str(error).splitlines()[0] in shown
    assert len(shown.splitlines()) <= row.lines, shown
    assert "nbgraph/" not in shown.replace("/tests/", "")
