"""The version of this library, also part of every cache key."""

__version__ = "0.1.0"
