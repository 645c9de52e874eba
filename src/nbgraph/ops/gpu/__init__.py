"""What operators over whole arrays are on GPUs: the table that `operator.elsewhere` asks for.

layers    what layers are made of, by products and reductions
picking   elements by indices
ordering  what an array library sorts
"""

from nbgraph.ops.gpu import layers as layers
from nbgraph.ops.gpu import ordering as ordering
from nbgraph.ops.gpu import picking as picking
