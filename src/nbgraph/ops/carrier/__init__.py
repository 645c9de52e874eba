"""Mixins of carrier classes: Python's operators, NumPy's methods and protocols, indexing.

Each method is an operator of the library and nothing else, so it works for every carrier
(`nbgraph.operator.call`): an NDArray pushes, a Symbol makes a node. Methods about memory (writes in
place, copies to a device, values) belong to the class itself.

Such a class has an attribute `shape`, a tuple, or None if it is unknown.
"""
