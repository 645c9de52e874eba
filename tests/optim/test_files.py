"""Nested dicts in files: npz, safetensors."""

import errno
import sys
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, FormatError

DTYPES = ["float16", "float32", "float64", "int64", "uint8", "bool", "bfloat16"]
ENDS = ["states", "states.npz", "states.safetensors"]


def sample():
    arrays = {name: ng.ones((2, 3), dtype=name) for name in DTYPES}
    odd = {"a/b": ng.zeros(()), "a": {"b": ng.zeros((0, 2))}, "structure": ng.arange(3)}
    return {
        "arrays": arrays,
        "odd": odd,
        "n": 3,
        "x": 0.1,
        "s": "text",
        "t": True,
        "none": None,
    } | {"structure": ng.ones(1)}


def assert_equal(a, b):
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_equal(a[k], b[k])
    elif isinstance(a, ng.NDArray):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    else:
        assert a == b


@pytest.mark.parametrize("end", ENDS)
def test_what_is_saved_is_loaded(end, tmp_path):
    """X-MAR-11: structure, names of any kind, dtypes, shapes and numbers come back."""
    if end.endswith("safetensors"):
        pytest.importorskip("safetensors")
    data = sample()
    ng.optim.save(tmp_path / end, data)
    assert_equal(ng.optim.load(tmp_path / end), data)


def test_other_programs_find_arrays_by_name(tmp_path):
    """X-MAR-11: names in the file say where an array belongs."""
    data = {"w": {"mean": ng.ones(2)}, "n": 1}
    ng.optim.save(tmp_path / "states", data)
    with np.load(tmp_path / "states") as file:
        assert any(name.endswith("w/mean") for name in file.files)
    numpy = pytest.importorskip("safetensors.numpy")
    ng.optim.save(tmp_path / "s.safetensors", data)
    assert list(numpy.load_file(tmp_path / "s.safetensors")) == ["w/mean"]
    numpy.save_file({"x": np.ones(2, "float32")}, tmp_path / "plain.safetensors")
    assert list(ng.optim.load(tmp_path / "plain.safetensors")) == ["x"]


def test_a_write_that_ends_early_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    numpy, path = pytest.importorskip("safetensors.numpy"), tmp_path / "s.safetensors"
    ng.optim.save(path, {"w": ng.ones(2)})

    def half(values, path, metadata):
        Path(path).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "no space left")  # of a descriptor: without the file's name

    monkeypatch.setattr(numpy, "save_file", half)
    with pytest.raises(OSError, match=r"no space left: .*s\.safetensors"):
        ng.optim.save(path, {"w": ng.zeros(2)})
    assert ng.optim.load(path)["w"].tolist() == [1.0, 1.0]
    assert [file.name for file in tmp_path.iterdir()] == ["s.safetensors"]


def test_the_package_that_is_missing_is_named(tmp_path, monkeypatch):
    """X-MAR-11: without safetensors its format is refused with what to install."""
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(ArgumentError, match=r"install nbgraph\[safetensors\]"):
        ng.optim.save(tmp_path / "s.safetensors", {"w": ng.ones(2)})


@pytest.mark.parametrize("end", ["states", "states.safetensors"])
def test_damaged_files_are_refused(end, tmp_path):
    """X-MAR-11: a file of something else is a FormatError that names it."""
    if end.endswith("safetensors"):
        pytest.importorskip("safetensors")
    path = tmp_path / end
    path.write_bytes(b"nothing of the kind, but long enough to have a header")
    with pytest.raises(FormatError, match=end):
        ng.optim.load(path)
    ng.save(tmp_path / "list", [ng.ones(2)])
    with pytest.raises(FormatError, match="holds no names"):
        ng.optim.load(tmp_path / "list")


@pytest.mark.parametrize(
    ("match", "data"),
    [
        ("'a' is a list", {"a": [1]}),
        ("the name 3 in a", {"a": {3: 1}}),
        ("'c' is a set", {"c": {1}}),
    ],
)
def test_what_cannot_be_saved(match, data, tmp_path):
    """X-MAR-11: other things than dicts, arrays, numbers and strings are refused by name."""
    with pytest.raises(ArgumentError, match=match):
        ng.optim.save(tmp_path / "x", data)
    assert not (tmp_path / "x").exists()
