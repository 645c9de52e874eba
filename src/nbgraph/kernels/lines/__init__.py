"""Texts along lines of arrays: sorted, searched and moved."""
