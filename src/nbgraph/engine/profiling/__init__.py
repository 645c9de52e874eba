"""Profiles: what ran, when and how long, and what a step may take at most."""
