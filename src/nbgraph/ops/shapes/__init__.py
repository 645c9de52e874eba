"""New arrays, and other shapes of the same elements."""
