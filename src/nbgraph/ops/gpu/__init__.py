"""What operators over whole arrays are on GPUs: the table that `operator.elsewhere` asks for.

layers      layers by other operators, weights brought into shape, outputs, sequences
windows     convolutions, by products over columns of cells
columns     those columns, and cells made of them
convolving  convolutions, by a thread for each element
norms       statistics of channels, and norms made of them
pools       pools and their gradients
addressing  where elements lie that indices choose
picking     elements by indices
scattering  what is written, or added up, at indices
scanning    running sums, products and extremes, and recurrences
searching   searches in sorted vectors, membership; one-hot rows, triangles
numbering   numbers of places, coordinates, counts between edges
extremes    where extremes are
reducing    reductions by others: means, deviations, norms, of what is true, of nothing
sets        elements that are not zero, different values
sparse      products with sparse matrices
"""

from nbgraph.ops.gpu import convolving as convolving
from nbgraph.ops.gpu import extremes as extremes
from nbgraph.ops.gpu import layers as layers
from nbgraph.ops.gpu import norms as norms
from nbgraph.ops.gpu import numbering as numbering
from nbgraph.ops.gpu import picking as picking
from nbgraph.ops.gpu import pools as pools
from nbgraph.ops.gpu import reducing as reducing
from nbgraph.ops.gpu import scanning as scanning
from nbgraph.ops.gpu import scattering as scattering
from nbgraph.ops.gpu import searching as searching
from nbgraph.ops.gpu import sets as sets
from nbgraph.ops.gpu import sparse as sparse
from nbgraph.ops.gpu import windows as windows
