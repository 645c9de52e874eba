"""Device forms of operators over whole arrays: the table that `operator.arrays.device_forms`
reads."""

from nbgraph.ops.gpu import complexes as complexes
from nbgraph.ops.gpu import convolving as convolving
from nbgraph.ops.gpu import extremes as extremes
from nbgraph.ops.gpu import norms as norms
from nbgraph.ops.gpu import numbering as numbering
from nbgraph.ops.gpu import pools as pools
from nbgraph.ops.gpu import products as products
from nbgraph.ops.gpu import reducing as reducing
from nbgraph.ops.gpu import scanning as scanning
from nbgraph.ops.gpu import scattering as scattering
from nbgraph.ops.gpu import sets as sets
from nbgraph.ops.gpu import windows as windows
