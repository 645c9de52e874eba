"""From graphs to what the engine runs: passes, lowering, memory, plans, executors."""
