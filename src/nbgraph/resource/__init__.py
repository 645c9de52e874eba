"""What operators share besides arrays: random streams and temporary space, as engine variables.

An operator asks by requests, is granted one resource for each in their order, and names the
resources' variables among those its push mutates; so nobody uses a temporary space while another
does, and random numbers do not depend on who is quicker.

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

from nbgraph._listing import public_names
from nbgraph.resource.kinds import ResourceRequest as ResourceRequest
from nbgraph.resource.kinds import requests as requests
from nbgraph.resource.manager import Resource as Resource
from nbgraph.resource.manager import empty_space as empty_space
from nbgraph.resource.manager import parallel_random as parallel_random
from nbgraph.resource.manager import request as request
from nbgraph.resource.random import Draw as Draw
from nbgraph.resource.random import draw as draw
from nbgraph.resource.random import draw_of as draw_of
from nbgraph.resource.random import generator_of as generator_of
from nbgraph.resource.random import seed as seed
from nbgraph.resource.report import Stats as Stats
from nbgraph.resource.report import stats as stats

__dir__ = public_names(globals())
