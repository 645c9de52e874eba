"""A scalar function of a user: its signature, its graph by kinds, and the functions derived from
it."""
