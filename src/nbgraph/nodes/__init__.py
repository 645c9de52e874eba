"""Expression graphs with node operators: dynamic graphs, rebuilt for each batch if need be."""

from nbgraph.nodes.tensors import add, aggregate, aggregate_all, element, prod

__all__ = ["add", "aggregate", "aggregate_all", "element", "prod"]
