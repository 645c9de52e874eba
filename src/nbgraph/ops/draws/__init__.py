"""Random numbers, and what is made with them: orders, initial values, dropout."""
