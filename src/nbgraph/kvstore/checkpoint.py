"""Checkpoints of a job in a folder: values, states of the optimizer, positions of the workers.

The files of each round have their own names; the manifest, which lists them, is replaced last, so
that the previous round stays valid if a job dies meanwhile. Folders may be anything that fsspec
opens ("s3://...", "memory://...").
"""

import json
import tempfile
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from nbgraph.array.files import load as load_arrays
from nbgraph.array.files import save as save_arrays
from nbgraph.errors import FormatError

_MANIFEST = "manifest.json"
_FORMAT = 1
_READING = threading.RLock()  # fsspec has one object, with one position, for all readers of memory


class Restored(NamedTuple):
    """A round from which a job continues."""

    values: dict[Any, Any]  # NDArrays by key
    positions: list[Any]  # of each worker
    rule: tuple[Any, str] | None  # the file system and path of the optimizer's states

    @contextmanager
    def optimizer(self) -> Generator[Path]:
        """Yield a local file for `Optimizer.load`."""
        assert self.rule is not None, "the round has an optimizer"
        system, path = self.rule
        with _fetched(system, path) as file:
            yield file


@contextmanager
def _fetched(system: Any, path: str) -> Generator[Path]:
    with tempfile.TemporaryDirectory() as own:
        file = Path(own) / path.rpartition("/")[2]
        with _READING:
            system.get_file(path, str(file))
        yield file


def save(folder: Any, store: Any, number: int, positions: Sequence[Any]) -> None:
    """Write the present values of a store, as round `number`."""
    system, root = _opened(folder)
    keys = [*store._keys]
    with tempfile.TemporaryDirectory() as own:
        files = {"values": f"values-{number}.npz"}
        values = store.pull(keys)
        save_arrays(Path(own) / files["values"], {str(k): v for k, v in enumerate(values)})
        if store._optimizer is not None:
            files["optimizer"] = f"optimizer-{number}.npz"
            store.save_optimizer_states(Path(own) / files["optimizer"])
        manifest = {
            "format": _FORMAT,
            "round": number,
            "keys": keys,
            "positions": [*positions],
            "files": files,
        }
        (Path(own) / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        system.makedirs(root, exist_ok=True)
        before = _manifest(system, root)
        for name in files.values():
            system.put_file(str(Path(own) / name), f"{root}/{name}")
        system.put_file(str(Path(own) / _MANIFEST), f"{root}/{_MANIFEST}.new")
        system.mv(f"{root}/{_MANIFEST}.new", f"{root}/{_MANIFEST}")
    for name in (before or {"files": {}})["files"].values():
        if name not in files.values() and system.exists(f"{root}/{name}"):
            system.rm_file(f"{root}/{name}")


def load(folder: Any) -> Restored | None:
    """Return the round in a folder, or None."""
    if folder is None:
        return None
    system, root = _opened(folder)
    manifest = _manifest(system, root)
    if manifest is None:
        return None
    files = manifest["files"]
    with _fetched(system, f"{root}/{files['values']}") as file:
        arrays = load_arrays(file)
    values = {key: arrays[str(k)] for k, key in enumerate(manifest["keys"])}
    rule = (system, f"{root}/{files['optimizer']}") if "optimizer" in files else None
    return Restored(values, manifest["positions"], rule)


def number(folder: Any) -> int | None:
    """Return the number of the round that a folder holds, or None where there is none."""
    manifest = None if folder is None else _manifest(*_opened(folder))
    return None if manifest is None else int(manifest["round"])


def _manifest(system: Any, root: str) -> dict[str, Any] | None:
    if not system.exists(f"{root}/{_MANIFEST}"):
        return None
    with _READING, system.open(f"{root}/{_MANIFEST}", "r") as file:
        try:
            manifest: dict[str, Any] = json.load(file)
        except ValueError as error:
            raise FormatError(
                f"kv: {root}/{_MANIFEST} is damaged ({error}); remove it to begin anew"
            ) from None
    if manifest.get("format") != _FORMAT:
        raise FormatError(
            f"kv: {root}/{_MANIFEST} has format {manifest.get('format')!r}, not {_FORMAT}"
        )
    return manifest


def _opened(folder: Any) -> tuple[Any, str]:
    from fsspec.core import url_to_fs  # it comes with distributed

    system, root = url_to_fs(str(folder))
    return system, root.rstrip("/")
