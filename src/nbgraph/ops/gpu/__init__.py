"""What operators over whole arrays are on GPUs: the table that `operator.elsewhere` asks for.

layers      what layers are made of, by products and reductions
windows     convolutions, by products over columns of cells
columns     those columns, and cells made of them
convolving  convolutions, by a thread for each element
pools       pools and their gradients
picking     elements by indices
ordering    what an array library sorts
"""

from nbgraph.ops.gpu import convolving as convolving
from nbgraph.ops.gpu import layers as layers
from nbgraph.ops.gpu import ordering as ordering
from nbgraph.ops.gpu import picking as picking
from nbgraph.ops.gpu import pools as pools
from nbgraph.ops.gpu import windows as windows
