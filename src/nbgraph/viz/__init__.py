"""Seeing graphs: pictures, before and after a pass, tables.

>>> import nbgraph as ng
>>> picture = ng.viz.graph(ng.sin(ng.var("x", shape=(3,))))
>>> print(picture)
%0 = x: float32[3]
%1 = sin(%0): float32[3]
return %1
"""

from nbgraph.foreign import published
from nbgraph.viz.changes import before_and_after as before_and_after
from nbgraph.viz.drawing import Picture as Picture
from nbgraph.viz.drawing import draw as graph
from nbgraph.viz.summary import print_summary as print_summary

__dir__, __getattr__ = published("ng.viz", globals())

__all__ = ["Picture", "before_and_after", "graph", "print_summary"]
