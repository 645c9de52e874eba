"""Kernels of products: by BLAS and LAPACK, of narrow dtypes and of integers, and attention."""
