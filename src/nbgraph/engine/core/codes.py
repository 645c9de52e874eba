"""Constants shared by callers and the core, besides offsets in blocks.

Callers import these without the core's own files, which are imported only to compile it.
"""

# results of a push that are not tickets
DONE, QUEUED, TO_RUN, BRAKE, NO_MEMORY = 0, 1, 2, -1, -2
TWICE, MISCOUNTED = -3, -4  # a variable is named twice; the number of variables is wrong
STALE = -16  # STALE - i: variable i is dead
LEFT = 2  # result of a wait when the ready work may take longer than the waiting thread allows

# nanoseconds of the longest kernel that a waiting or pushing thread runs
BRIEF = 2_000_000  # if it has to handle signals
ANYTHING = 1 << 62  # else
TURN = 20_000_000  # of all kernels in one wait, if it has to handle signals

# layout of arguments and results
FIXED = 13  # words of `submit` before the slots
LAUNCHED = 6  # words of `launch` before the variables
SNAPSHOT = 8  # words that describe an operation
QUEUE_BITS = 8  # of the queue; the lane is in the bits above
COUNT_BITS = 32  # of the number of variables; the number of written ones is in the bits above

# chunks of kernels
GRAIN = 12_000  # nanoseconds of the shortest chunk
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
