"""Object code: compiled, cached on disk, loaded, called from Python."""
