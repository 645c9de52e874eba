"""Scalar operators as users see them: definition, calls, fusion, pickling."""
