"""Losses of predictions, their reductions, and layers whose gradient is that of a loss."""
