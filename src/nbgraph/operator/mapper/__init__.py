"""Scalar operators as people use them: from a function, called, fused, pickled."""
