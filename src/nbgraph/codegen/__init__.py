"""Object code: made, kept on disk, loaded, called from Python."""
