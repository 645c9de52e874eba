"""Operators that work element by element, from scalar functions, and other dtypes."""
