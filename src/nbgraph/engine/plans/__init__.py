"""Plans: many steps as one push, as words in the core's memory."""
