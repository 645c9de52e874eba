"""Scalar functions of users: signature, graph by operand kinds, and derived functions."""
