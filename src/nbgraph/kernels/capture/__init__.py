"""From a Python function to a scalar graph."""
