"""Partial derivatives of scalar graphs, their values at guards and jumps, and the certificates that
check them."""
