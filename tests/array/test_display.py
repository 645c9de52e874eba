"""How arrays are shown: as NumPy writes them, copying no more than is shown."""

import numpy as np
import pytest
from hypothesis import given

import nbgraph as ng
from nbgraph.array import display
from tests.array.samples import DTYPES, pairs

LARGE = [(2000,), (50, 60), (3, 1001), (1001, 2), (10, 11, 12), (2, 2, 600), (1, 1, 1500)]


@given(pairs(DTYPES))
def test_small_arrays_look_like_numpy(pair):
    x, a = pair
    assert repr(a) == repr(x)
    assert str(a) == str(x)
    assert f"{a}" == f"{x}"


@pytest.mark.parametrize("shape", LARGE)
def test_large_arrays_look_like_numpy(shape):
    for dtype in ("float32", "float64", "int64"):
        x = (np.arange(np.prod(shape)).reshape(shape) * 3).astype(dtype)
        a = ng.array(x)
        assert repr(a) == repr(x)
        assert str(a) == str(x)
        assert repr(a.T) == repr(x.T)


def test_numpys_options_are_obeyed():
    x = np.linspace(0, 1, 40)
    a = ng.array(x)
    for options in ({"threshold": 5}, {"threshold": 5, "edgeitems": 1}, {"precision": 2}):
        with np.printoptions(**options):
            assert repr(a) == repr(x)


def test_only_what_is_shown_is_copied():
    x = ng.zeros((2000, 3000))
    shown, whole = display._corners(x)
    assert not whole and shown.size == 49
    assert shown.base is None


def test_numbers_are_formatted():
    assert f"{ng.array(2.5):.2f}" == "2.50"
    with pytest.raises(ValueError, match="shape"):
        f"{ng.zeros(2):.2f}"


def test_notebooks_show_text_once(monkeypatch):
    """`_repr_mimebundle_` works the text out once, escaped, with dtype, shape and device."""
    calls = []
    text = display.text
    monkeypatch.setattr(display, "text", lambda a: calls.append(1) or text(a))
    bundle = ng.array([1.5, 2.5])._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == "array([1.5, 2.5], dtype=float32)"
    assert "NDArray float32[2] on cpu(0), computed asynchronously<" in bundle["text/html"]
    assert len(calls) == 1
    assert "on cpu(1)" in repr(ng.zeros(2, device=ng.cpu(1)))


def test_a_failure_in_a_notebook_is_escaped(engine):
    def fails(run_ctx):
        raise ValueError("<b>bold</b>")

    a = ng.zeros(2)
    ng.engine.push(fails, mutate_vars=[a.variable])
    assert "&lt;b&gt;" in a._repr_mimebundle_()["text/html"]
