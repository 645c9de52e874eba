"""Products of two arrays: by BLAS, of narrow dtypes, of integers, on devices."""
