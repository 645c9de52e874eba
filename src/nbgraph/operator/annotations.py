"""Types of operands and results, for type checkers: a result is of its operands' class.

NDArrays, symbols and nodes are *carriers* (`operator/call`); everything else that an operator can
be applied to is the host's, and what is computed of it is NumPy's. No class is named here, so that
the rooms above need not be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from nbgraph.operator.call import Carrier
from nbgraph.shape import Array

C = TypeVar("C", bound=Carrier)  # the class of the operands, and so of the result
Host = complex | np.generic | Array | list[Any] | tuple[Any, ...] | range


class Foreign(Protocol):
    """An array of another library."""

    def __array__(self) -> Any:
        """Return the values as a NumPy array."""
        ...


if TYPE_CHECKING:  # Python 3.11 knows no defaults; generated stubs alone use these
    from typing_extensions import TypeVar as Defaulted

    Carried = Defaulted("Carried", bound=Carrier, default=Any)
    Operand: TypeAlias = Carried | Host | Foreign
