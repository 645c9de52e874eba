"""Nested dicts of arrays, numbers and strings in files.

The structure is kept as JSON in which an array is `{"array": name}`; the arrays lie beside it under
their paths in the structure, in an npz archive or in safetensors' format.
"""

import importlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.array.files import load as load_arrays
from nbgraph.array.files import save as save_arrays
from nbgraph.atomic_write import atomic_write
from nbgraph.errors import ArgumentError, FormatError, noun

_ARRAY = "array"
_STRUCTURE = "structure"  # the entry that holds the JSON


def save(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write a nested dict of arrays, numbers, strings, bools and None; waits for the arrays.

    A name that ends in ".safetensors" asks for that format, which takes the package of that name.

    >>> import tempfile, nbgraph as ng
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/states", {"w": {"mean": ng.ones(2)}, "count": 3})
    ...     load(f"{folder}/states")
    {'w': {'mean': array([1., 1.], dtype=float32)}, 'count': 3}
    """
    arrays: dict[str, Any] = {}
    structure = json.dumps(_extract(data, "", arrays))
    if _is_safetensors(path):
        values = {name: _values(value) for name, value in arrays.items()}
        with atomic_write(path) as temporary:
            _safetensors().save_file(values, os.fspath(temporary), {_STRUCTURE: structure})
        return
    arrays[_STRUCTURE] = np.frombuffer(structure.encode(), np.uint8)
    save_arrays(path, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the structure that `save` wrote, or a dict of arrays by name for a plain file of
    arrays; raise FormatError for other files."""
    if _is_safetensors(path):
        _safetensors()
        package: Any = importlib.import_module("safetensors")
        try:
            with package.safe_open(os.fspath(path), framework="np") as file:
                by_name = {n: array(file.get_tensor(n)) for n in file.keys()}  # noqa: SIM118
                text = (file.metadata() or {}).get(_STRUCTURE)
        except package.SafetensorError as error:
            raise FormatError(
                f"load: {os.fspath(path)!r} is not a file in safetensors' format, or is damaged "
                f"({error})"
            ) from None
        return by_name if text is None else _fill(json.loads(text), by_name)
    arrays = load_arrays(path)
    if not isinstance(arrays, dict):
        raise FormatError(f"load: {os.fspath(path)!r} holds no names; give a file that save wrote")
    structure = arrays.pop(_STRUCTURE, None)
    return arrays if structure is None else _fill(json.loads(structure.asnumpy().tobytes()), arrays)


def _extract(data: Any, path: str, arrays: dict[str, Any]) -> Any:
    """Return the structure as JSON data, with its arrays moved into `arrays` by name."""
    if isinstance(data, Mapping):
        entries: dict[str, Any] = {}
        for key, value in data.items():
            if not isinstance(key, str):
                raise ArgumentError(f"save: the name {key!r} in {path or 'data'}; use strings")
            entries[key] = _extract(value, f"{path}/{key}" if path else key, arrays)
        return {"dict": entries}
    if isinstance(data, (Array, np.ndarray)):
        name = path
        while name in arrays or name == _STRUCTURE:
            name += "_"
        arrays[name] = data
        return {_ARRAY: name}
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    raise ArgumentError(
        f"save: {path!r} is {noun(data)}; expected arrays, numbers and strings in dicts"
    )


def _fill(data: Any, arrays: Mapping[str, Any]) -> Any:
    """Return the structure of JSON data, with its arrays put back."""
    if not isinstance(data, dict):
        return data
    if _ARRAY in data:
        return arrays[data[_ARRAY]]
    return {key: _fill(value, arrays) for key, value in data["dict"].items()}


def _is_safetensors(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix == ".safetensors"


def _safetensors() -> Any:
    """Return the module `safetensors.numpy`; raise ArgumentError where it is missing."""
    try:
        module: Any = importlib.import_module("safetensors.numpy")
    except ImportError:
        raise ArgumentError(
            "save, load: files in safetensors' format need the package safetensors; "
            "install nbgraph[safetensors], or use another file name, for npz"
        ) from None
    return module


def _values(value: Any) -> np.ndarray[Any, Any]:
    values = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
    return np.ascontiguousarray(values).reshape(value.shape)
