"""X-NDA-05: `ng.save` and `ng.load`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from tests.array.samples import DTYPES, pairs, same

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)


@given(st.lists(pairs(DTYPES), max_size=3), st.lists(NAMES, min_size=3, max_size=3, unique=True))
def test_lists_and_dicts_come_back_as_they_were(tmp_path_factory, made, names):
    path = tmp_path_factory.getbasetemp() / "arrays"
    plain, arrays = [x for x, _ in made], [a for _, a in made]
    ng.save(path, arrays)
    found = ng.load(path)
    assert isinstance(found, list)
    for a, x in zip(found, plain, strict=True):
        same(a, x)
    given_names = dict(zip(names, arrays, strict=False))
    ng.save(path, given_names)
    found = ng.load(path)
    assert list(found) == list(given_names)
    for a, x in zip(found.values(), plain, strict=True):
        same(a, x)


def test_bfloat16_numpy_arrays_and_single_arrays(tmp_path):
    path = tmp_path / "one"
    half = ng.array([1.5, -2.25]).astype("bfloat16")
    ng.save(path, half)
    found = ng.load(path)
    assert found.dtype.name == "bfloat16"
    same(found.astype("float32"), np.array([1.5, -2.25], "float32"))
    ng.save(path, {"plain": np.arange(3)})
    same(ng.load(path)["plain"], np.arange(3))
    assert ng.load(path, device=ng.cpu(1))["plain"].device == ng.cpu(1)
    np.savez(tmp_path / "numpy.npz", x=np.arange(2))
    same(ng.load(tmp_path / "numpy.npz")["x"], np.arange(2))
    np.save(tmp_path / "one.npy", np.arange(2.0))
    same(ng.load(tmp_path / "one.npy"), np.arange(2.0))


@given(st.lists(pairs(DTYPES), max_size=3), st.lists(NAMES, min_size=3, max_size=3, unique=True))
def test_files_are_mapped(tmp_path_factory, made, names):
    """mmap=True: the same arrays, whatever their names, in the file's memory."""
    path = tmp_path_factory.getbasetemp() / "mapped"
    ng.save(path, dict(zip(names, [a for _, a in made], strict=False)))
    found = ng.load(path, mmap=True)
    for a, (x, _) in zip(found.values(), made, strict=True):
        same(a, x)
        if x.size:
            with pytest.raises(ValueError, match="belongs to a NumPy array"):
                a[...] = 0


def test_what_is_mapped_is_read_later(tmp_path):
    """Nothing is read before elements are: a change of the file is seen. What cannot be mapped,
    compressed or unaligned, is copied; other devices get copies."""
    path = tmp_path / "w"
    ng.save(path, {"a": np.arange(3.0), "bfloat": ng.ones(2).astype("bfloat16")})
    mapped, copied = ng.load(path, mmap=True), ng.load(path)
    with path.open("r+b") as file:
        at = file.read().index(np.arange(3.0).tobytes())
        assert at % 64 == 0
        file.seek(at)
        file.write(np.full(3, 7.0).tobytes())
    same(mapped["a"], np.full(3, 7.0))
    same(copied["a"], np.arange(3.0))
    same(mapped["bfloat"].astype("float32") + 1, np.full(2, 2, "float32"))
    np.savez_compressed(tmp_path / "small.npz", x=np.arange(2), y=np.asfortranarray(np.eye(2)))
    np.savez(tmp_path / "numpy.npz", longer_name=np.arange(5), x=np.arange(4, dtype="int8"))
    np.save(tmp_path / "one.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    for name in ("small.npz", "numpy.npz"):
        for key, value in np.load(tmp_path / name).items():
            same(ng.load(tmp_path / name, mmap=True)[key], value)
    same(ng.load(tmp_path / "one.npy", mmap=True), np.arange(6.0).reshape(2, 3))
    assert ng.load(path, mmap=True, device=ng.cpu(1))["a"].device == ng.cpu(1)


def test_numpy_reads_the_files(tmp_path):
    ng.save(tmp_path / "w.npz", {"w": ng.ones(3)})
    with np.load(tmp_path / "w.npz") as found:
        np.testing.assert_array_equal(found["array.w"], np.ones(3))


def test_save_waits(engine, tmp_path):
    a = ng.zeros(1000)
    for _ in range(20):
        a += 1
    ng.save(tmp_path / "a", [a])
    same(ng.load(tmp_path / "a")[0], np.full(1000, 20, "float32"))


def test_a_file_is_written_whole_or_not_at_all(engine, tmp_path):
    """A failed array, or a failed write, leaves the old file and nothing beside it."""

    def fails(run_ctx):
        raise OSError("no such page")

    path = tmp_path / "weights"
    ng.save(path, [ng.ones(3)])
    bad = ng.zeros(3)
    ng.engine.push(fails, mutate_vars=[bad.variable])
    with pytest.raises(OSError, match="no such page"):
        ng.save(path, [ng.zeros(3), bad])
    same(ng.load(path)[0], np.ones(3, "float32"))
    assert [p.name for p in tmp_path.iterdir()] == ["weights"]


def test_nothing_beside_the_file_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "weights"
    ng.save(path, [ng.ones(3)])
    monkeypatch.setattr(np.lib.format, "write_array", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ng.save(path, [ng.zeros(3)])
    monkeypatch.undo()
    same(ng.load(path)[0], np.ones(3, "float32"))
    assert [p.name for p in tmp_path.iterdir()] == ["weights"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (5, "data is an int"),
        ("text", "data is a str"),
        ({1: np.zeros(2)}, "the name 1 is an int"),
        ({"a": [np.zeros(2)]}, "'a' is a list; a list or dict holds arrays only"),
        ([1.5], "'0' is a float"),
        ([np.array(["x"])], "'0': <U1 is not supported"),
        ([np.array([object()])], "'0': object is not supported"),
    ],
)
def test_what_cannot_be_saved(tmp_path, data, text):
    with pytest.raises(TypeError, match=text):
        ng.save(tmp_path / "a", data)
    assert not list(tmp_path.iterdir())


def test_load_as_mxnet_does(tmp_path):
    """X-NDA-05: `ng.nd.load` gives one array in a list."""
    path = tmp_path / "a"
    for data, wanted in ((ng.ones(2), [ng.ones(2)]), ([ng.ones(2)], [ng.ones(2)])):
        ng.nd.save(path, data)
        (found,) = ng.nd.load(path, mmap=True)
        np.testing.assert_array_equal(found, wanted[0])
    ng.nd.save(path, {"w": ng.ones(2)})
    assert [*ng.nd.load(path)] == ["w"]


def test_what_cannot_be_loaded(tmp_path):
    """Damaged, foreign and pickled files are refused; nothing is unpickled."""
    path = tmp_path / "a"
    for content in (b"", b"hello", b"PK\x03\x04 broken", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a file of arrays"):
            ng.load(path)
    np.savez(path.with_suffix(".npz"), x=np.array([object()]))
    with pytest.raises(ValueError, match="'x' cannot be read"):
        ng.load(path.with_suffix(".npz"))
    np.savez(path.with_suffix(".npz"), x=np.zeros(2, "longdouble"))
    with pytest.raises(TypeError, match="float128|longdouble"):
        ng.load(path.with_suffix(".npz"))
    with pytest.raises(FileNotFoundError):
        ng.load(tmp_path / "nowhere")
    ng.save(path, [ng.ones(1000)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not a file of arrays"):
        ng.load(path)


# MXNet's files ----------------------------------------------------------------------------------


def _numbers(kind, *numbers):
    return np.array(numbers, kind).tobytes()


def _mxnet(arrays, names=(), version=2):
    """Bytes as MXNet writes them: version 0 has the count of axes where others have their mark."""
    parts = [_numbers("<u8", 0x112, 0, len(arrays))]
    for x in arrays:
        number = ("float32 float64 float16 uint8 int32 int8 int64 bool").split().index(x.dtype.name)
        if version:
            parts.append(_numbers("<u4", 0xF993FAC7 + version))
        parts.append(_numbers("<i4", 0) if version > 1 else b"")
        parts.append(_numbers("<i4", x.ndim) + _numbers("<i8" if version else "<u4", *x.shape))
        parts.append(_numbers("<i4", 1, 0, number) + x.tobytes())
    parts.append(_numbers("<u8", len(names)))
    parts += [_numbers("<u8", len(n.encode())) + n.encode() for n in names]
    return b"".join(parts)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_mxnet_s_files_are_read(tmp_path, version):
    """X-NDA-05: dense arrays of every version of the format, as a list or by name."""
    plain = [np.arange(6).reshape(2, 3).astype(d) for d in ("float32", "float16", "int64", "uint8")]
    plain += [np.array([True, False])] + [np.float64(2.5).reshape(())] * (version == 3)
    (tmp_path / "list").write_bytes(_mxnet(plain, version=version))
    for a, x in zip(ng.load(tmp_path / "list"), plain, strict=True):
        same(a, x)
    names = [f"arg:{k}" for k in range(len(plain))]
    (tmp_path / "net-0001.params").write_bytes(_mxnet(plain, names, version))
    found = ng.load(tmp_path / "net-0001.params", device=ng.cpu(1))
    assert list(found) == names
    assert {a.device for a in found.values()} == {ng.cpu(1)}
    same(found["arg:0"], plain[0])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda b: b[:-1], "is damaged"),
        (lambda b: b[:40], "is damaged"),
        (lambda b: b[:28] + _numbers("<i4", 1) + b[32:], "a sparse array"),
        (lambda b: b[:52] + _numbers("<i4", 99) + b[56:], "dtype 99"),
    ],
)
def test_mxnet_s_files_that_are_damaged_are_refused(tmp_path, change, told):
    """X-NDA-05: with the name of the file and what is wrong."""
    path = tmp_path / "net.params"
    path.write_bytes(change(_mxnet([np.ones(3, "float32")], ["w"])))
    with pytest.raises(ng.errors.FormatError, match=rf"load: '.*net.params'.* {told}"):
        ng.load(path)
