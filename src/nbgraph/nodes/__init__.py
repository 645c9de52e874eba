"""Expression graphs with node operators: dynamic graphs, rebuilt for each batch if need be."""

from nbgraph._listing import bring, public_names

_PLACES = """
byhand CallbackNodeOp CSRDotNodeOp LambdaNodeOp
classes CastNodeOp ReduceNodeOp ReshapeNodeOp ScalarProductNodeOp SliceNodeOp TransposeNodeOp
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
