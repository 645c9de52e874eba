"""Losses of predictions, what they add up, and layers whose gradient is that of a loss."""
