"""Partials of scalar graphs, what they are at guards and jumps, and the certificates that check
them."""
