"""The expression graph: one type of node for tapes and symbols."""
