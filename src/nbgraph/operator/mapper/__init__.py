"""Scalar operators as people use them: made of a function, called, fused, pickled."""
