"""Expression graphs with node operators: dynamic graphs, rebuilt for each batch if need be.

Four layers, each in its files. *Expression operators* make nodes (`expr`, `library`). *Node
operators* say what a node computes and what it adds to its children's gradients (`node`, `opnode`,
`aggregates`, `views`). *Functional operators* are scalar functions (`functions`, and all of
`nbgraph.ops`). *Tensor operators* apply those to arrays, as operations of the engine (`tensors`,
`nodeop`, for the host `cpu`).

`building` and `graph` hold nodes together; `passes` and `steps` run them.
"""

from nbgraph.nodes.tensors import add, aggregate, aggregate_all, element, prod

__all__ = ["add", "aggregate", "aggregate_all", "element", "prod"]
