"""The engine's core: tracker, queues, workers and plans over raw 64-bit words.

The model
=========

A *variable* is a token. It knows which operations use it now and which wait for it, in push order:

    reads, writes      granted to operations that have not been issued yet
    issued             reads and writes of operations that are issued on a lane and not yet done
    head .. tail       slots of operations that wait, oldest first
    version            completed writes
    cell               the failure its last writer left, or 0

An *operation* has one slot per variable it names and a counter of slots not granted yet:

    waiting  -> ready -> running -> done          on the host
    waiting  -> ready -> running -> issued -> done    on a device lane, in the order of issue; one
                                                      that is skipped is issued too

Rules, each kept under one spin lock that no function of a user is ever called under:

1. A read is granted when no write is granted or waits before it; a write when also no read is.
   An issued use does not stand in the way of an operation of the same lane: the lane keeps order.
2. A waiting slot is granted only from the head of its variable's queue: push order is kept.
3. An operation becomes ready exactly once, when its counter reaches zero; the thread that brings it
   there puts it into the ready queue of its kind, or runs it next itself.
4. Done: every slot is given back, versions of written variables rise, waiters are told, the block
   goes to its free list. `(address, sequence number)` names an operation for ever: the block's
   number is zero or another one from then on.
5. A failure is a *cell*: not raised yet, or the newest sequence number when it was raised. It
   applies to an operation whose number is not above that. Operations it applies to are skipped
   and hand it on; a success clears the cells of what it wrote.

Owners: words of variables, operations, queues and cells only under the lock; an
operation's function, arguments and error by the thread that runs it; a parker's word by its
thread and by the thread that has taken it out of the idle or waiting lists; a plan instance's
counters
by atomics alone. Nothing but memory operations happens under the lock; system calls that wake a
thread come after it.

The files are ordinary Python over the primitives of `machine`: compiled, the primitives are
machine instructions; uncompiled they are a simulated memory, whose atomic operations hand control
to a scheduler, so that tests can try every interleaving of this very text.
"""
