"""What is seen of a training: the bar, lines for epochs, the history as a table and a picture."""

import functools
import io
import itertools
import re
from xml.etree import ElementTree as ET

import pytest

import nbgraph as ng
from nbgraph import nn
from tests.nn.test_fitting import Interrupting, X, Y, interrupts_are_heard, made

__all__ = ["interrupts_are_heard"]  # a fixture


class Screen(io.StringIO):
    """A terminal; `lines`: what stands on it, with all that was written over."""

    def isatty(self):
        return True

    @property
    def lines(self):
        return [line.strip() for line in re.split("[\r\n]", self.getvalue()) if line.strip()]


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock is a second after the last one."""
    monkeypatch.setattr("nbgraph.bar.now", functools.partial(next, itertools.count(1.0)))


SHOWN = {"loss": ng.cross_entropy, "optimizer": ng.optim.Adam}


def rows_of(history, epochs):
    return [f"epoch {k}/{epochs}: loss {row['loss']:.4g}" for k, row in enumerate(history, 1)]


@pytest.mark.parametrize("epochs, lines", [(2, 2), (20, 20), (41, 14)])
def test_progress_is_few_lines_on_standard_output_where_there_is_no_terminal(capsys, epochs, lines):
    """NB-03: a line for each epoch, of long trainings for every few and the last one."""
    history = nn.fit(made(), (X, Y), epochs=epochs, **SHOWN)
    found = capsys.readouterr().out.splitlines()
    assert len(found) == lines and set(found) <= set(rows_of(history, epochs))
    assert found[-1] == rows_of(history, epochs)[-1]


@pytest.mark.parametrize("at", [None, 1])
def test_a_bar_shows_batches_the_time_left_and_the_rate(clock, monkeypatch, at):
    """NB-03: one line, written over; none is left after an epoch, nor after Ctrl-C in one."""
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    data = nn.Batches(X, Y, batch_size=16, seed=5) if at is None else Interrupting(at)
    optimizer = lambda net: ng.optim.SGD(net, ng.optim.schedules.step(0.5, 2, 0.5))
    history = nn.fit(made(), data, loss=ng.cross_entropy, optimizer=optimizer, epochs=2)
    drawn = [line for line in screen.lines if "|" in line]
    assert drawn[0] == "epoch 1/2    0% |                    | 0/4  lr 0.5"
    assert [line for line in screen.lines if "|" not in line] == rows_of(history, 2)
    assert screen.getvalue().endswith("\r" if at is not None else "\n")
    if at is None:
        assert drawn[3] == "epoch 1/2   75% |###############     | 3/4  0:05 left  lr 0.25"
        assert len(drawn) == 10 and drawn[-1].startswith("epoch 2/2  100%")
    else:
        assert history.stopped


def test_data_of_unknown_length_are_counted(clock, monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    batches = [(X[:16], Y[:16])] * 3
    data = type("Endless", (), {"__iter__": lambda self: iter(batches)})()
    nn.fit(made(), data, epochs=1, **SHOWN)
    assert screen.lines[:2] == ["epoch 1/1  0  lr 0.001", "epoch 1/1  1  lr 0.001"]


def test_the_line_of_the_last_epoch_is_written_where_it_ends_early(capsys):
    stop = lambda training: training.stop() if training.epoch == 4 else None
    history = nn.fit(made(), (X, Y), epochs=100, callbacks=stop, **SHOWN)
    assert capsys.readouterr().out.splitlines() == rows_of(history, 100)[-1:]


def test_a_history_is_a_table_and_a_picture():
    history = nn.History([{"loss": 2.0, "val_loss": 3.0}, {"loss": 1.0, "val_loss": 2.0}])
    assert "<svg" in history._repr_html_() and history.to_dict()["loss"] == [2.0, 1.0]
    assert list(history)[1] == history.last
    with pytest.raises(KeyError, match="'los'; there is loss, val_loss"):
        history["los"]
    assert repr(history) == str(history) == "epoch  loss  val_loss\n1      2     3\n2      1     2"
    assert repr(nn.History()) == "no epochs yet" and "<svg" in nn.History()._repr_html_()


def test_a_prompt_shows_the_ends_of_a_long_history():
    history = nn.History([{"loss": 1.0 / k} for k in range(1, 101)])
    lines = repr(history).splitlines()
    assert len(str(history).splitlines()) == 101 and len(lines) == 22
    assert [line.split()[0] for line in lines[9:13]] == ["9", "10", "...", "91"]


def panels_of(history):
    """For each pair of axes its paths' colours and what it says, and the points apart."""
    svg = ET.fromstring(history.picture())
    name = "{http://www.w3.org/2000/svg}"
    plots = svg.findall(f"{name}svg")
    legends = [
        [t.text for t in plot.iter(f"{name}text") if t.text.isidentifier()] for plot in plots
    ]
    dots = [len(list(plot.iter(f"{name}circle"))) for plot in plots]
    crosses = [t.text for t in svg.iter(f"{name}title") if " at " in (t.text or "")]
    return legends, dots, crosses


def test_the_picture_of_a_history_has_an_axis_for_each_unit():
    """NB-03: shares have one, a loss and a distance have theirs; points where lines need two."""
    row = {"loss": 2.0, "val_loss": 2.5, "accuracy": 0.5, "recall": 0.2, "mae": 30.0}
    axes = [["loss", "val_loss"], ["accuracy", "recall"], ["mae"]]
    assert panels_of(nn.History([row])) == (axes, [2, 2, 1], [])
    assert panels_of(nn.History([row, row])) == (axes, [0, 0, 0], [])
    nan = {"loss": float("nan"), "val_loss": 2.0}
    late = nn.History([{"loss": 2.0}, nan, {"loss": 1.0, "val_loss": 1.5}])
    assert panels_of(late) == ([["loss", "val_loss"]], [2], ["loss at 2: nan"])
