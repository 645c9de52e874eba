"""Sums, extremes, means and norms over axes."""
