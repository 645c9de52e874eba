"""The chaos engine: orders drawn from a seed, and what they show of undeclared reads and writes."""
