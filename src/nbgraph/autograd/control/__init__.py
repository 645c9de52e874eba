"""Loops, branches and maps over functions of arrays, as nodes of graphs."""
