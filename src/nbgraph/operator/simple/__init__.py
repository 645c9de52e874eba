"""Simple operators: functions over whole arrays, registered step by step."""

from nbgraph.operator.simple.blob import Input0 as Input0
from nbgraph.operator.simple.blob import Input1 as Input1
from nbgraph.operator.simple.blob import OutputGrad as OutputGrad
from nbgraph.operator.simple.blob import OutputValue as OutputValue
from nbgraph.operator.simple.blob import TBlob as TBlob
from nbgraph.operator.simple.blob import dtype_switch as dtype_switch
from nbgraph.operator.simple.forms import SimpleOpInplaceOption as SimpleOpInplaceOption
from nbgraph.operator.simple.forms import kInplaceInOut as kInplaceInOut
from nbgraph.operator.simple.forms import kInplaceLhsOut as kInplaceLhsOut
from nbgraph.operator.simple.forms import kInplaceOutIn as kInplaceOutIn
from nbgraph.operator.simple.forms import kInplaceOutLhs as kInplaceOutLhs
from nbgraph.operator.simple.forms import kNoInplace as kNoInplace
from nbgraph.operator.simple.op import SimpleOp as SimpleOp
from nbgraph.operator.simple.op import register_simple_op as register_simple_op
from nbgraph.operator.simple.op import simple_declaration as simple_declaration
