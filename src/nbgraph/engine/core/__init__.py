"""The engine's core: tracker, queues, workers and plans over raw 64-bit words.

The model
=========

A *variable* is a token. It stores the operations that use it and those that wait, in push order:

    reads, writes      granted to operations that have not been issued yet
    issued             reads and writes of operations that are issued on a lane and not yet done
    head .. tail       slots of operations that wait, oldest first
    version            completed writes
    cell               the failure of its last writer, or 0

An *operation* has one slot per variable it names and a counter of slots not granted yet:

    waiting  -> ready -> running -> done          on the host
    waiting  -> ready -> running -> issued -> done    on a device lane, in the order of issue;
                                                      skipped operations are issued too

Rules, each enforced under one spin lock; no user function is called under that lock:

1. A read is granted when no write is granted or waits before it; a write when also no read is.
   An issued use does not block an operation of the same lane: the lane keeps the order.
2. A waiting slot is granted only from the head of its variable's queue: push order is kept.
3. An operation becomes ready exactly once, when its counter reaches zero; the thread that sets it
   to zero puts the operation into the ready queue of its kind, or runs it next itself.
4. At its end, every slot is released, versions of written variables increase, waiters are notified,
   and the block goes to its free list. `(address, sequence number)` identifies an operation for
   ever: the number in the block is zero or another one from then on.
5. A failure is a *cell*: not raised yet, or the newest sequence number when it was raised. It
   applies to operations whose number is not above that. These are skipped and pass it on to the
   variables that they write; an operation that succeeds clears the cells of those variables.

Ownership: words of variables, operations, queues and cells are used only under the lock; an
operation's function, arguments and error by the thread that runs it; a parker's word by its
thread and by the thread that has taken it out of the idle or waiting lists; a plan instance's
counters with atomics only. Only memory operations happen under the lock; system calls that wake
a thread come after it.

The files are ordinary Python on the primitives of `machine`: compiled, the primitives are
machine instructions; uncompiled they act on a simulated memory, whose atomic operations pass
control to a scheduler, so that tests can try every interleaving of this same source.
"""
