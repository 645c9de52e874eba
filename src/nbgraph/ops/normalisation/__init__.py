"""Softmax and norms: rows or channels that are brought to a common scale."""
