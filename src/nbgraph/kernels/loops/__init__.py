"""Loops as data, and the emitters that write them as text."""
