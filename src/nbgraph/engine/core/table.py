"""All entry points of the core."""

from __future__ import annotations

from nbgraph.engine.core.entries import (
    call_done,
    call_issued,
    drop_template,
    is_done,
    mark,
    new_thread,
    next_call,
    notify,
    push,
    run_one,
    stop,
    submit,
    submit_many,
    take_one,
    template,
    template_many,
    wait_for,
    work_until_stopped,
)
from nbgraph.engine.core.launching import (
    launch,
    launch_many,
)
from nbgraph.engine.core.state import (
    cell_of,
    dead_cell,
    dead_instance,
    dead_template,
    drop_instance,
    fail,
    free_memory,
    give_up,
    late_failure,
    leave_early,
    let_cell_go,
    new_memory,
    new_variable,
    peek,
    poke,
    put_failure,
    raise_cell,
    raise_first,
    raise_variable,
    ready_list,
    set_failure,
    settled,
    snapshot,
    uses,
)

ENTRIES = (
    *(push, submit, submit_many, template, template_many, drop_template, notify),
    *(launch, launch_many, settled),
    *(new_thread, work_until_stopped, next_call, call_done, call_issued, wait_for, is_done),
    *(mark, stop, take_one, run_one),
    *(new_variable, give_up, raise_variable, raise_first, raise_cell, cell_of, let_cell_go),
    *(fail, late_failure, set_failure, put_failure, leave_early),
    *(dead_cell, dead_template, drop_instance, dead_instance),
    *(peek, poke, new_memory, free_memory, snapshot, uses, ready_list),
)
BLOCKING = (work_until_stopped, next_call, wait_for)  # called without the GIL
