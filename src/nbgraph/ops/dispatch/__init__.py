"""NumPy's functions on carriers (`__array_function__`), as tables: function, how, gradient."""
