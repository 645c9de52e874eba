"""Fading means of weights."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.optim import smoothing


def test_means_follow_the_formula(engine):
    """X-MAR-11: mean = keep * mean + (1 - keep) * weight, warm or not, step by step."""
    for warm in (True, False):
        w, h = ng.zeros((3, 4)), ng.zeros(5, dtype="float16")
        smooth = ng.optim.Smoothing({"w": w, "h": h}, 0.9, warm=warm)
        expected = 0.0
        for n in range(30):
            w[:] = float(n)
            h[:] = float(n)
            smooth.update()
            keep = min(0.9, (n + 1) / (n + 10)) if warm else 0.9
            expected = keep * expected + (1 - keep) * n
        np.testing.assert_allclose(smooth.means["w"].asnumpy(), expected, rtol=1e-5)
        np.testing.assert_allclose(smooth.means["h"].asnumpy(), expected, rtol=1e-5)
        assert smooth.means["h"].dtype == np.float32


def test_swapped_gives_weights_back(engine):
    """X-MAR-11: within the block the means, afterwards the weights, also after an error."""
    w = ng.array([1.0, 2.0])
    smooth = ng.optim.Smoothing({"w": w}, 0.5, warm=False)
    w[:] = 3.0
    smooth.update()
    with pytest.raises(KeyError), smooth.swapped():
        np.testing.assert_array_equal(w.asnumpy(), [2.0, 2.5])
        raise KeyError
    np.testing.assert_array_equal(w.asnumpy(), [3.0, 3.0])


def test_weights_come_back_where_the_means_are_not_all_there(monkeypatch):
    """SYS-04: an interrupt among the means leaves no weights that are means."""
    first, second = ng.array([1.0]), ng.array([2.0])
    smooth = ng.optim.Smoothing({"first": first, "second": second}, 0.5, warm=False)
    first[:], second[:] = 3.0, 4.0
    fill, calls = smoothing.fill_from, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        fill(*arguments)

    monkeypatch.setattr(smoothing, "fill_from", interrupted)
    with pytest.raises(KeyboardInterrupt), smooth.swapped():
        pass
    assert (first.item(), second.item()) == (3, 4)


def test_means_resume(tmp_path):
    """X-MAR-11: means and count go on from a file with the same bits."""
    w = ng.array([1.0, 2.0])
    one, other = ng.optim.Smoothing([w]), ng.optim.Smoothing([w])
    for n in range(3):
        w[:] = float(n)
        one.update()
    ng.optim.save(tmp_path / "means", one.state_dict())
    other.load_state_dict(ng.optim.load(tmp_path / "means"))
    w[:] = 7.0
    for each in (one, other):
        each.update()
    np.testing.assert_array_equal(one.means["0"].asnumpy(), other.means["0"].asnumpy())
    assert other.count == 4


def test_what_smoothing_refuses():
    """X-MAR-11: a factor that keeps all; means of other parameters."""
    with pytest.raises(ArgumentError, match=r"Smoothing: keep=1\.0"):
        ng.optim.Smoothing([ng.ones(2)], 1.0)
    smooth = ng.optim.Smoothing({"a": ng.ones(2), "b": ng.ones(2)})
    with pytest.raises(ArgumentError, match="means has 'c'"):
        smooth.load_state_dict({"count": 1, "means": {"c": ng.ones(2)}})
    with pytest.raises(ArgumentError, match="there is no mean of 'b'"):
        smooth.load_state_dict({"count": 1, "means": {"a": ng.ones(2)}})
