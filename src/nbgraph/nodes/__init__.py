"""Expression graphs with node operators: dynamic graphs, rebuilt for each batch if need be.

Four layers, each in its files. *Expression operators* make nodes (`expr`, `library`). *Node
operators* say what a node computes and what it adds to its children's gradients (`node`, `opnode`,
`classes`). *Functional operators* are scalar functions (`functions`, and all of
`nbgraph.ops`). *Tensor operators* apply those to arrays, as operations of the engine (`tensors`,
`nodeop`, `kinds`).

`building` and `graph` hold nodes together; `passes` runs them.
"""

from nbgraph._listing import bring, public_names

_PLACES = """
byhand CallbackNodeOp LambdaNodeOp
classes CastNodeOp CSRDotNodeOp ReduceNodeOp ScalarProductNodeOp
expr Expr expression
graph ExpressionGraph
library callback cast csr_dot debug lambda_ mean reduce reshape scalar_product slice sum transpose
library weighted_average
node NaryNodeOp UnaryNodeOp
nodeop NodeOp
tensors add aggregate aggregate_all compute element prod
"""
bring(globals(), _PLACES)

__dir__ = public_names(globals(), "functions")
