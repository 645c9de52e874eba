"""Texts along lines of arrays: sorted, searched, summed, picked and moved."""
