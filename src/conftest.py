"""What `pytest --doctest-modules src/nbgraph` needs besides."""

from nbgraph.operator.declared import complete

complete()  # doctest finds the examples of what is there
