"""Functions of functions, by JAX's names: loops, branches and maps over arrays, derivatives.

>>> import nbgraph as ng
>>> ng.transforms.scan(lambda total, x: (total + x, None), 0.0, ng.array([1.0, 2.0]))[0]
array(3., dtype=float32)
"""

from nbgraph._listing import public_names
from nbgraph.autograd.abstract import ShapeDtypeStruct as ShapeDtypeStruct
from nbgraph.autograd.abstract import eval_shape as eval_shape
from nbgraph.autograd.abstract import pure_callback as pure_callback
from nbgraph.autograd.abstract import ravel_pytree as ravel_pytree
from nbgraph.autograd.batching.vmap import vmap as vmap
from nbgraph.autograd.control.associative import associative_scan as associative_scan
from nbgraph.autograd.control.branches import checkpointed as _checkpoint
from nbgraph.autograd.control.branches import cond as cond
from nbgraph.autograd.control.branches import switch as switch
from nbgraph.autograd.control.loops import fori_loop as fori_loop
from nbgraph.autograd.control.loops import map_parts as _map_parts
from nbgraph.autograd.control.loops import scan as scan
from nbgraph.autograd.control.loops import while_loop as while_loop
from nbgraph.autograd.custom import custom_jvp as custom_jvp
from nbgraph.autograd.custom import custom_vjp as custom_vjp
from nbgraph.autograd.functional import grad as grad
from nbgraph.autograd.functional import value_and_grad as value_and_grad
from nbgraph.autograd.jacobians import hessian as hessian
from nbgraph.autograd.jacobians import hvp as hvp
from nbgraph.autograd.jacobians import jacfwd as jacfwd
from nbgraph.autograd.jacobians import jacobian as jacobian
from nbgraph.autograd.jacobians import jacrev as jacrev
from nbgraph.autograd.jit import jit as jit
from nbgraph.autograd.linear import jvp as jvp
from nbgraph.autograd.linear import linearize as linearize
from nbgraph.autograd.linear import vjp as vjp

map = _map_parts
checkpoint = _checkpoint

__dir__ = public_names(globals(), also="map checkpoint")
