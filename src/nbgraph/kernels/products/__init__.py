"""Texts of products: by BLAS and LAPACK, of narrow dtypes and of integers, attention."""
