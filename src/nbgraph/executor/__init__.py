"""From graphs to what the engine runs: passes, lowering, memory, plans, executors.

`Symbol.bind` and `Symbol.simple_bind` make an `Executor`; `Options` says which passes are applied.
"""

from nbgraph._listing import public_names
from nbgraph.executor.pipeline import Options as Options

__dir__ = public_names(globals())
