"""Operators: scalar functions as operators of NumPy's protocol, and operators over whole arrays.

The decorator is `nbgraph.op`; the package cannot have that name as well.
"""
