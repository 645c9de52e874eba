"""Operators by MXNet's names and parameters, if those differ from NumPy's and PyTorch's."""
