"""Making machine code: when, by which thread, and what waits for it."""
