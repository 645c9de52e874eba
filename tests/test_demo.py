"""The demos run: LeNet reads digits, and robust losses do what they are for; pictures are there."""

import re
from xml.etree import ElementTree as ET

import pytest

from tests.support import ROOT, run_python


def test_demo_shows_robust_losses_beating_least_squares(tmp_path):
    printed = run_python(
        "-m", "scripts.robust_regression", "--output", tmp_path, "--splits", "2", cwd=ROOT
    )
    error = {
        name: float(value)
        for name, value in re.findall(
            r"^(\w[\w, ]*?)\s{2,}([\d.]+)\s+[\d.]+$", printed, re.MULTILINE
        )
    }
    robust = {"smooth_l1", "huber", "tukey", "barron"}
    assert robust | {"squared", "squared, nothing spoilt"} == error.keys()
    assert all(error[name] < 0.75 * error["squared"] for name in robust), error
    assert all(error[name] < 1.1 * error["squared, nothing spoilt"] for name in ("tukey", "barron"))
    assert (tmp_path / "losses.png").read_bytes().startswith(b"\x89PNG")
    assert "numpy where" in printed


@pytest.mark.slow
def test_demo_trains_lenet_on_two_workers(tmp_path):
    program = ["-m", "scripts.train_digits", "--output", tmp_path]
    printed = run_python(*program, "--epochs", "3", "--workers", "2", cwd=ROOT)
    assert "2 workers, each with its part of every batch, have the same weights" in printed
    assert float(re.search(r"test accuracy: ([\d.]+)", printed)[1]) >= 0.9


def test_demo_trains_lenet_with_functions_of_its_own(tmp_path):
    """A few epochs do: the whole training is the example's."""
    printed = run_python(
        "-m", "scripts.train_digits", "--output", tmp_path, "--epochs", "3", cwd=ROOT
    )
    accuracy = float(re.search(r"test accuracy: ([\d.]+)", printed)[1])
    assert accuracy >= 0.95
    table = [line.split() for line in printed.splitlines() if re.fullmatch(r"(\d+ +){9}\d+", line)]
    counts = [[int(n) for n in row] for row in table]
    assert len(counts) == 10 and sum(map(sum, counts)) == 360
    assert abs(sum(counts[i][i] for i in range(10)) / 360 - accuracy) < 1e-3
    assert "the same numbers" in printed and "numpy" in printed
    for name in ("curves.svg", "confusion.svg"):
        assert ET.parse(tmp_path / name).getroot().tag.endswith("svg")
