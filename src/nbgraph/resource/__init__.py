"""Resources that operators share besides arrays: random streams and temporary space.

An operator makes requests, gets one resource for each, and names the resources' variables in the
`mutate_vars` of its push; so two operators never use a temporary space at the same time, and random
numbers do not depend on scheduling.

>>> import nbgraph as ng
>>> from nbgraph import resource
>>> resource.seed(0)
>>> space, random = resource.request(["temp_space", "random"])
>>> def noise(run_ctx):
...     values = space.get_space((4,), "float64")
...     random.get_random().random(out=values)
...     return float(values.sum())
>>> turn = [space.variable, random.variable]
>>> first = ng.engine.push(noise, mutate_vars=turn).result(timeout=10)
>>> resource.seed(0)
>>> first == ng.engine.push(noise, mutate_vars=turn).result(timeout=10)
True
"""

from nbgraph._listing import bring, public_names

_PLACES = """
manager Resource ResourceRequest empty_space parallel_random request requests
random Draw draw draw_of generator_of seed
report Stats stats
"""
bring(globals(), _PLACES)

__dir__ = public_names(globals())
