"""What a class of carriers wears: Python's operators, NumPy's methods and protocols, indices.

Each is an operator of the library and nothing else, so that the caller that carries operators out
(`nbgraph.operator.call`) has all of them: an NDArray pushes, a Symbol makes a node. What is about
memory (writes in place, copies to a device, values) belongs to the class itself.

A class that wears them says `shape`, a tuple, or None where it is not known yet.
"""
