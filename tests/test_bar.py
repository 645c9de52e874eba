"""A line that is written over itself."""

import io

import pytest

from nbgraph import bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_shorter_line_leaves_nothing_of_a_longer_one(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    file = Terminal()
    line = bar.Bar(file)
    line.draw("a", 1, 10, "much more than fits in it")
    line.draw("a", 2)
    line.write("kept")
    line.draw("a", 3)
    line.close()
    line.close()
    wide = 29
    assert file.getvalue().split("\r") == [
        "",
        "a   10% |##                  | 1/10  much more"[:wide],
        "a  2".ljust(wide),
        " " * 4,
        "kept\n",
        "a  3",
        " " * 4,
        "",
    ]


def test_nothing_but_lines_goes_to_a_file():
    file = io.StringIO()
    line = bar.Bar(file)
    line.draw("a", 1, 10)
    line.write("kept")
    line.close()
    assert file.getvalue() == "kept\n"


@pytest.mark.parametrize("shown", [True, False])
def test_items_are_all_given_and_followed(monkeypatch, shown):
    file = Terminal()
    monkeypatch.setattr("sys.stdout", file)
    monkeypatch.setattr(bar, "OFTEN", 0.0)
    assert list(bar.followed("abc", 3, "read", shown=shown)) == ["a", "b", "c"]
    assert ("2/3" in file.getvalue()) == shown and file.getvalue().endswith("\r") == shown


def test_a_notebook_shows_a_line_written_over():
    kind = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    assert bar.rewrites(kind()) and not bar.rewrites(io.StringIO())
