"""What an operator is: the scalar function as NumPy-protocol operator, node operators.

The decorator is `nbgraph.op`; the package cannot have that name as well.
"""
