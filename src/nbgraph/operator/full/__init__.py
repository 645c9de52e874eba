"""Operators written as two classes: a property with the semantics, and an implementation."""

from nbgraph.operator.full.operator import Operator as Operator
from nbgraph.operator.full.property import OperatorProperty as OperatorProperty
from nbgraph.operator.full.registered import RegisteredOperator as RegisteredOperator
from nbgraph.operator.full.registered import register_operator as register_operator
