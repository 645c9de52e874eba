"""Functions over one more axis: `vmap`, by a rule for each kind of operator."""
