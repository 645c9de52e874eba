"""Source and iterator of images in one folder per class: folder/class/image.jpg."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.files import file_system, is_remote, local, open_bytes
from nbgraph.io.images import SUFFIXES, ImageDecoder
from nbgraph.io.iterator import SourceIter, divided
from nbgraph.io.protocol import DataDesc
from nbgraph.io.report import counted
from nbgraph.io.source import Columns, Source, Values

_BLOCK = 4096


class ImageFolderSource(Source):
    """The images of a folder, and the numbers of their classes.

    Parameters
    ----------
    folder : str or path
        A folder with one subfolder per class, which has images at any depth; or a URL that
        fsspec reads. Other files are ignored.
    classes : list of str, optional
        The names of classes in the order of their numbers; by default all, sorted.
    resize, mode, layout
        See ImageDecoder.

    Raises
    ------
    DataError
        The folder is absent, a class has no image, or, when it is read, a file is not an image.
    """

    decodes = True

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        classes: Sequence[str] | None = None,
        resize: int | tuple[int, int] | None = None,
        mode: str = "RGB",
        layout: str = "HWC",
        data_name: str = "data",
        label_name: str = "softmax_label",
    ) -> None:
        self.name = os.fspath(folder)
        self._decode = ImageDecoder(mode, resize, layout)
        by_class = labelled(self.name, classes)
        self.classes = list(by_class)
        self.files = [file for files in by_class.values() for file in files]
        counts = [len(files) for files in by_class.values()]
        self._labels = np.repeat(np.arange(len(counts)), counts)
        self.descs = (self._decode.desc(data_name), DataDesc(label_name, (), np.int64))
        self.labels = (label_name,)
        self.blocks = np.append(np.arange(0, len(self.files), _BLOCK), len(self.files))

    def read(self, block: int, rows: Values) -> Columns:
        """Return the images, as a list if their sizes may differ, and their classes."""
        numbers = rows + self.blocks[block]
        pixels: Any = [self._image(self.files[number]) for number in numbers.tolist()]
        if -1 not in self.descs[0].shape:
            pixels = np.stack(pixels)
        return pixels, self._labels[numbers]

    def _image(self, name: str) -> Values:
        try:
            if is_remote(name):
                file = open_bytes(name)
                data = file.read(0, file.size)
            else:
                data = Path(name).read_bytes()
            with counted("decoding"):
                return self._decode(data)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", file=name) from error
        except DataError as error:
            raise DataError(str(error), file=name) from error

    def where(self, number: int) -> str:
        return self.files[number]


def labelled(folder: str, classes: Sequence[str] | None = None) -> dict[str, list[str]]:
    """Return the sorted names of all images in a folder by class, the name of the subfolder.

    The keys are sorted, or in the order of `classes`. Names that begin with a dot are skipped.

    Raises
    ------
    DataError
        The folder is absent, its subfolders have no images, or one of `classes` has none.
    """
    by_class: dict[str, list[str]] = {}
    for inside, name in sorted(_listed(folder)):
        first, slash, _ = inside.partition("/")
        if slash and not any(part.startswith(".") for part in inside.split("/")):
            images = by_class.setdefault(first, [])
            if inside.lower().endswith(SUFFIXES):
                images.append(name)
    if not any(by_class.values()):
        raise DataError(
            "the folder has no images in folders of their classes; expected "
            f"folder/class/image with one of {', '.join(SUFFIXES)}",
            file=folder,
        )
    chosen = sorted(by_class) if classes is None else list(classes)
    for name in chosen:
        if not by_class.get(name):
            raise DataError(f"the class {name!r} has no image", file=folder)
    return {name: by_class[name] for name in chosen}


def _listed(folder: str) -> Iterator[tuple[str, str]]:
    """Yield for each file of a folder its relative path, with slashes, and its name to open."""
    if is_remote(folder):
        files, root = file_system(folder)
        for path in files.find(root):
            yield path[len(root) :].strip("/"), files.unstrip_protocol(path)
        return
    root = local(folder)
    if not Path(root).is_dir():
        raise DataError("the folder is not there", file=folder)
    for place, _, names in os.walk(root, followlinks=True):
        inside = place[len(root) :].replace(os.sep, "/").strip("/")
        for name in names:
            yield f"{inside}/{name}" if inside else name, f"{place.rstrip(os.sep)}{os.sep}{name}"


class ImageFolderIter(SourceIter):
    """Batches of images from a folder with one subfolder per class.

    Parameters
    ----------
    folder, classes, resize, mode, layout, ...
        See ImageFolderSource.
    batch_size, shuffle, seed, part, of, transforms, prefetch, ...
        See SourceIter.

    >>> import pathlib, tempfile
    >>> from PIL import Image
    >>> root = pathlib.Path(tempfile.mkdtemp())
    >>> for name, value in (("day", 200), ("night", 20)):
    ...     (root / name).mkdir()
    ...     Image.new("L", (4, 3), value).save(root / name / "0.png")
    >>> it = ImageFolderIter(root, 2, mode="L", layout="CHW", shuffle=True)
    >>> x, y = it.next()
    >>> x.shape, sorted(y.tolist()), it.source.classes
    ((2, 1, 3, 4), [0, 1], ['day', 'night'])
    """

    def __init__(self, folder: str | os.PathLike[str], batch_size: int = 1, **options: Any) -> None:
        own, options = divided(ImageFolderSource, options)
        super().__init__(ImageFolderSource(folder, **own), batch_size, **options)
