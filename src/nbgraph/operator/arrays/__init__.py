"""Operators over whole arrays: their base class, immediate calls, and subclasses with kernels."""
