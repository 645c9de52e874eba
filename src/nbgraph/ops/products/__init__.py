"""Products of matrices and vectors, and layers that are one."""
