"""Operators over windows of arrays: convolutions, pools, regions."""
