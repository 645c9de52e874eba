"""Loops and branches as nodes of graphs: one operator each, whose body is a graph."""
