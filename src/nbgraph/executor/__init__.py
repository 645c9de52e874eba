"""From graphs to plans of the engine: passes, lowering, memory, plans, executors.

`Symbol.bind` and `Symbol.simple_bind` return an `Executor`; `Options` selects its passes.
"""

from nbgraph._listing import public_names
from nbgraph.executor.pipeline import Options as Options

__dir__ = public_names(globals())
