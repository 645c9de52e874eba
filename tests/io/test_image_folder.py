"""Folders of images as sources of batches."""

import numpy as np
import pytest

from nbgraph.errors import DataError, ShapeError
from nbgraph.io import ImageFolderIter, ImageFolderSource, transforms

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def folder(tmp_path):
    """Two classes: cat with three images, dog with two, one of them in a folder of its own."""
    draw = np.random.default_rng(0)
    for name in ("dog/1.png", "dog/more/0.PNG", "cat/b.png", "cat/a.png", "cat/c.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(draw.integers(0, 256, (4, 6, 3), np.uint8)).save(path)
    (tmp_path / "cat" / "notes.txt").write_text("no image")
    return tmp_path


def test_classes_are_sorted_folders_and_files_too(folder):
    source = ImageFolderSource(folder)
    assert source.classes == ["cat", "dog"]
    names = [name.removeprefix(f"{folder}/") for name in source.files]
    assert names == ["cat/a.png", "cat/b.png", "cat/c.png", "dog/1.png", "dog/more/0.PNG"]
    x, y = ImageFolderIter(folder, 5).next()
    assert y.dtype == np.int64 and y.tolist() == [0, 0, 0, 1, 1]
    for pixels, name in zip(x.asnumpy(), source.files):
        assert np.array_equal(pixels, np.array(Image.open(name)))


def test_classes_are_sorted_by_their_names_and_not_by_paths(tmp_path):
    for name in ("a-b", "a", "a b", "B"):
        (tmp_path / name).mkdir()
        Image.new("L", (2, 2)).save(tmp_path / name / "0.png")
    source = ImageFolderSource(tmp_path)
    assert source.classes == ["B", "a", "a b", "a-b"]
    assert [name.split("/")[-2] for name in source.files] == source.classes


def test_what_begins_with_a_dot_is_left_out_and_a_class_without_images_is_said(folder):
    (folder / ".checkpoints").mkdir()
    for name in (".checkpoints/0.png", "cat/._a.png"):
        (folder / name).write_bytes(b"no image")
    assert len(ImageFolderSource(f"{folder}/").files) == 5
    (folder / "bird").mkdir()
    (folder / "bird" / "notes.txt").touch()
    with pytest.raises(DataError, match="the class 'bird' has no image"):
        ImageFolderSource(folder)


def test_the_order_of_classes_may_be_stated(folder):
    assert ImageFolderIter(folder, 5, classes=["dog", "cat"]).next()[1].tolist() == [0, 0, 1, 1, 1]
    with pytest.raises(DataError, match="the class 'bird' has no image"):
        ImageFolderSource(folder, classes=["bird"])


def test_images_of_different_sizes(folder):
    Image.new("RGB", (5, 7)).save(folder / "cat" / "b.png")
    it = ImageFolderIter(folder, 3)
    with pytest.raises(ShapeError, match=r"b.png has shape \(7, 5, 3\) and .*a.png \(4, 6, 3\)"):
        it.next()
    assert ImageFolderIter(folder, 3, resize=(4, 4)).next()[0].shape == (3, 4, 4, 3)


def test_images_of_different_sizes_are_cut_to_one(folder):
    Image.new("RGB", (5, 7)).save(folder / "cat" / "b.png")
    augment = [transforms.RandomCrop(4), transforms.RandomFlipLeftRight()]
    it = ImageFolderIter(folder, 3, transforms=augment)
    x, y = it.next()
    assert x.shape == (3, 4, 4, 3) and y.tolist() == [0, 0, 0]
    again = ImageFolderIter(folder, 1, transforms=augment)
    alone = np.concatenate([again.next()[0].asnumpy() for _ in range(3)])
    assert np.array_equal(alone, x.asnumpy())
    whole = [np.array(Image.open(name)) for name in it.source.files[:3]]
    for cut, image in zip(alone, whole):
        height, width, _ = image.shape
        windows = [image[i : i + 4, j : j + 4] for i in range(height - 3) for j in range(width - 3)]
        assert any(np.array_equal(cut, w) or np.array_equal(cut, w[:, ::-1]) for w in windows)


def test_remote_folders(folder):
    fsspec = pytest.importorskip("fsspec")
    for path in folder.rglob("*.*"):
        with fsspec.open(f"memory://pets/{path.relative_to(folder)}", "wb") as target:
            target.write(path.read_bytes())
    ours, theirs = ImageFolderIter("memory://pets", 5).next(), ImageFolderIter(folder, 5).next()
    assert all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(ours, theirs, strict=True))


def test_a_file_that_is_no_image(folder):
    (folder / "cat" / "b.png").write_bytes(b"text")
    it = ImageFolderIter(folder, 2, last_batch_handle="keep")
    with pytest.raises(DataError, match="cannot be decoded") as caught:
        it.next()
    assert caught.value.file == str(folder / "cat" / "b.png")
    assert it.next()[1].tolist() == [0, 1]
    (folder / "dog" / "1.png").unlink()
    with pytest.raises(DataError, match=r"cannot be read: No such file.*dog/1.png"):
        ImageFolderSource.read(it.source, 0, np.array([3]))


def test_folders_without_classes(tmp_path):
    with pytest.raises(DataError, match="the folder is not there"):
        ImageFolderIter(tmp_path / "none")
    Image.new("L", (2, 2)).save(tmp_path / "0.png")
    with pytest.raises(DataError, match="expected folder/class/image"):
        ImageFolderIter(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no images in folders of their classes"):
        ImageFolderIter(tmp_path)
