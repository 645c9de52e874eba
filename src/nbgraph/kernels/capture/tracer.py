"""The methods of a tracer, from a file for each subject; its state is in `context`.

The functions take the tracer, a piece of the text, the environment and the path: the condition
under which the text is reached. Those that several files use are methods of the tracer.
"""

from nbgraph.kernels.capture import (
    assignments,
    calls,
    classes,
    expressions,
    inlining,
    lists,
    objects,
    operators,
    refusals,
    results,
    statements,
)
from nbgraph.kernels.capture.context import Tracer as Tracer

# methods of a tracer: functions of these files, `name`, or `name=function`
_METHODS = (
    (results, "start run outcome"),
    (statements, "block statement going join_ended"),
    (assignments, "assign_to bind=assign_to"),
    (expressions, "expression object=referred evaluated condition truth number number_of"),
    (objects, "static constant attribute"),
    (operators, "binary as_kind"),
    (calls, "called apply"),
    (inlining, "compose enter local"),
    (classes, "special written"),
    (refusals, "refuse"),
    (lists, "dereference read deep each taken changes_in_place"),
    (results, "raises raises_lookup fails under settled leave joined unchecked"),
)
for _module, _names in _METHODS:
    for _name, _, _function in (part.partition("=") for part in _names.split()):
        setattr(Tracer, _name, getattr(_module, _function or _name))
