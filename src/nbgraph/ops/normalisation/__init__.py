"""Softmax and norms: rows or channels brought to a common scale."""
