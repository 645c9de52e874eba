"""Operators as two classes: what an operator means, and what computes it.

A person writes an `Operator` (operator) and an `OperatorProperty` (property), and registers the
latter (registered). What the property says is asked once for each set of parameters (facts), with
handles instead of arrays, and for each set of operands (inference). It becomes an operator over
whole arrays (op), whose gradient is another (`operator.custom`), so every carrier runs them.
Objects that compute live where they run (places), and of several implementations the quickest is
taken (choosing).
"""

from nbgraph.operator.full.operator import Operator as Operator
from nbgraph.operator.full.property import OperatorProperty as OperatorProperty
from nbgraph.operator.full.registered import RegisteredOperator as RegisteredOperator
from nbgraph.operator.full.registered import register_operator as register_operator
