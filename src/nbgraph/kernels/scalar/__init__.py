"""Scalar graphs: nodes, what functions there are, a graph evaluated at a point, or printed."""
