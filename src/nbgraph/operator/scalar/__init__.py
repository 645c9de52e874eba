"""Scalar functions on NumPy arrays: arguments, dtypes, plans, the fast path, the naive version."""
