"""NDArray: asynchronous arrays on the dependency engine."""

from nbgraph.array.ndarray import NDArray as NDArray
