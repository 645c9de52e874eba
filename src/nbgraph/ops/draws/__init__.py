"""Random numbers, and operations that use them: orders, initial values, dropout."""
