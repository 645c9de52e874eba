"""NumPy's functions on carriers (`__array_function__`): tables of function, kind, gradient."""
