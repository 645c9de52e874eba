"""Expression graphs with node operators: dynamic graphs, rebuilt for each batch if need be.

Four layers, each in its files. *Expression operators* make nodes (`expr`, `library`). *Node
operators* say what a node computes and what it adds to its children's gradients (`node`, `opnode`,
`classes`). *Functional operators* are scalar functions (`functions`, and all of
`nbgraph.ops`). *Tensor operators* apply those to arrays, as operations of the engine (`tensors`,
`nodeop`, `kinds`).

`building` and `graph` hold nodes together; `passes` runs them.
"""

from nbgraph._listing import public_names
from nbgraph.nodes.byhand import CallbackNodeOp as CallbackNodeOp
from nbgraph.nodes.byhand import CSRDotNodeOp as CSRDotNodeOp
from nbgraph.nodes.byhand import LambdaNodeOp as LambdaNodeOp
from nbgraph.nodes.classes import CastNodeOp as CastNodeOp
from nbgraph.nodes.classes import ReduceNodeOp as ReduceNodeOp
from nbgraph.nodes.classes import ReshapeNodeOp as ReshapeNodeOp
from nbgraph.nodes.classes import ScalarProductNodeOp as ScalarProductNodeOp
from nbgraph.nodes.classes import SliceNodeOp as SliceNodeOp
from nbgraph.nodes.classes import TransposeNodeOp as TransposeNodeOp
from nbgraph.nodes.expr import Expr as Expr
from nbgraph.nodes.expr import expression as expression
from nbgraph.nodes.graph import ExpressionGraph as ExpressionGraph
from nbgraph.nodes.library import callback as callback
from nbgraph.nodes.library import cast as cast
from nbgraph.nodes.library import csr_dot as csr_dot
from nbgraph.nodes.library import debug as debug
from nbgraph.nodes.library import lambda_ as lambda_
from nbgraph.nodes.library import mean as mean
from nbgraph.nodes.library import reduce as reduce
from nbgraph.nodes.library import reshape as reshape
from nbgraph.nodes.library import scalar_product as scalar_product
from nbgraph.nodes.library import slice as slice
from nbgraph.nodes.library import sum as sum
from nbgraph.nodes.library import transpose as transpose
from nbgraph.nodes.library import weighted_average as weighted_average
from nbgraph.nodes.node import NaryNodeOp as NaryNodeOp
from nbgraph.nodes.node import UnaryNodeOp as UnaryNodeOp
from nbgraph.nodes.nodeop import NodeOp as NodeOp
from nbgraph.nodes.tensors import add as add
from nbgraph.nodes.tensors import aggregate as aggregate
from nbgraph.nodes.tensors import aggregate_all as aggregate_all
from nbgraph.nodes.tensors import compute as compute
from nbgraph.nodes.tensors import element as element
from nbgraph.nodes.tensors import prod as prod

__dir__ = public_names(globals(), "functions")
