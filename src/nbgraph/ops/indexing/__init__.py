"""Elements by index, and the reverse: what is written or added at indices."""
