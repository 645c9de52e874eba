"""The demo runs, its picture is there, and its robust losses do what they are for."""

import re

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
