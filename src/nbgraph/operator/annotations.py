"""Types of operands and results for type checkers: a result has its operands' class.

NDArrays, symbols and nodes are *carriers* (`operator/call`); all other operands belong to the host,
and results computed from them are NumPy's. No class is named here, so this file does not depend on
the rooms above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from nbgraph.operator.call import Carrier
from nbgraph.shape import Array

C = TypeVar("C", bound=Carrier)  # the class of the operands and of the result
Host = complex | np.generic | Array | list[Any] | tuple[Any, ...] | range


class Foreign(Protocol):
    """An array of another library."""

    def __array__(self) -> Any:
        """Return the values as a NumPy array."""
        ...


if TYPE_CHECKING:  # Python 3.11 has no defaults of type variables; only generated stubs use these
    from typing_extensions import TypeVar as Defaulted

    Carried = Defaulted("Carried", bound=Carrier, default=Any)
    Operand: TypeAlias = Carried | Host | Foreign
