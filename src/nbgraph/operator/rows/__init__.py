"""Row programs and reductions as operators."""
