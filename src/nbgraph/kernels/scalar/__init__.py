"""Scalar graphs: nodes, the table of functions, evaluation at a point, and printing."""
