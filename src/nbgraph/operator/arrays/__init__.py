"""Operators over whole arrays: what they are, applied at once, and their kinds by kernels."""
