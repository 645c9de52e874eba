"""Texts of kernels along lines of arrays: sort, extremes, and copies."""
