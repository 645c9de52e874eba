"""Compilation: its background thread, its log and report, and its line of progress."""
