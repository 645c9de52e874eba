"""Operators as functions of other libraries: torch, JAX."""

from nbgraph._listing import public_names
from nbgraph.bridges.jax import to_jax as to_jax
from nbgraph.bridges.torch import to_torch as to_torch

__dir__ = public_names(globals())
