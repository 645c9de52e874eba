"""A scalar function on NumPy arrays: arguments, dtypes, plans, the short path, the naive
version."""
