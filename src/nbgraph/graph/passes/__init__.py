"""Passes: functions from graph to graph, one a file, each with what it preserves."""
