"""What callers and the core agree on besides places in blocks.

Callers have these without the core's own files, which are read only where it is compiled.
"""

# what a push answers when it is not a ticket
DONE, QUEUED, TO_RUN, BRAKE, NO_MEMORY = 0, 1, 2, -1, -2
TWICE, MISCOUNTED = -3, -4  # a variable is named twice; there are not as many as expected
STALE = -16  # STALE - i: variable i is dead
LEFT = 2  # what a wait answers when work is ready that may take longer than it would help

# nanoseconds of work that a thread takes over which waits or pushes
BRIEF = 2_000_000  # one that has to be there for signals
ANYTHING = 1 << 62  # any other one
TURN = 20_000_000  # in all, if it has to be there for signals

# what is handed over
FIXED = 13  # words of `submit` before the slots
LAUNCHED = 6  # words of `launch` before the variables
SNAPSHOT = 8  # words that tell of an operation
QUEUE_BITS = 8  # the lane stands above the queue
COUNT_BITS = 32  # how many variables there are; above it, how many are written

# how kernels are cut
GRAIN = 12_000  # nanoseconds: chunks are not made smaller
MOST_CHUNKS = 64

# every entry point, `int64 entry(int64 argv, int64 argc)`
ENTRIES = (
    *("push", "submit", "submit_many", "template", "template_many", "drop_template", "notify"),
    *("launch", "launch_many", "launch_arrays", "settled", "in_use", "renew"),
    *("new_thread", "work_until_stopped", "next_call", "call_done", "call_issued", "wait_for"),
    "hand_over",
    *("is_done", "mark", "stop", "take_one", "run_one"),
    *(
        "new_variable",
        "give_up",
        "raise_variable",
        "raise_first",
        "unseen",
        "raise_cell",
        "cell_of",
    ),
    *("let_cell_go", "fail", "late_failure", "set_failure", "put_failure", "leave_early"),
    *("dead_cell", "dead_template", "drop_instance", "dead_instance"),
    *("peek", "poke", "new_memory", "free_memory", "snapshot", "uses", "ready_list"),
)
BLOCKING = frozenset(("work_until_stopped", "next_call", "wait_for"))  # called without the GIL
