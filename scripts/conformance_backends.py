"""A pytest plugin: nbgraph.xp is the one library on which other projects' array-API tests run.

scikit-learn yields names of namespaces; array-api-extra has an enumeration, to which its copy is
given a member by scripts/conformance.
"""

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

NAMESPACE = "nbgraph.xp"


def namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:
    """As scikit-learn's `yield_namespaces`."""
    yield NAMESPACE


def combinations(include_numpy_namespaces: bool = True) -> Iterator[tuple[str, None, str]]:
    """As scikit-learn's `yield_namespace_device_dtype_combinations`."""
    for dtype in ("float64", "float32"):
        yield NAMESPACE, None, dtype


def mixed() -> Iterator[tuple[Any, Any, str]]:
    """As scikit-learn's `yield_mixed_namespace_input_permutations`: with NumPy's arrays."""
    named = importlib.import_module("sklearn.utils._array_api").NamespaceAndDevice
    yield named("numpy", None), named(NAMESPACE, None), "numpy to nbgraph.xp"
    yield named(NAMESPACE, None), named("numpy", None), "nbgraph.xp to numpy"


with contextlib.suppress(ImportError):
    _names = importlib.import_module("sklearn.utils._array_api")
    _names.yield_namespaces = namespaces
    _names.yield_namespace_device_dtype_combinations = combinations
    _names.yield_mixed_namespace_input_permutations = mixed
