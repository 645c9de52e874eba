"""Products of matrices and vectors, and layers that are products."""
