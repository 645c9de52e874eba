"""Operators by MXNet's names and parameters, where those differ from NumPy's and PyTorch's."""
