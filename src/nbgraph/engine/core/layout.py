"""The layout of the core's memory: byte offsets into its header and its blocks.

Blocks consist of 64-bit words. Words that several threads write at once have their own 64-byte
cache line.
"""

WORD = 8
LINE = 64

# ------------------------------------------------------------------ core header
LOCK = 0 * LINE
SEQUENCE = 1 * LINE  # number of the newest operation
PENDING = 1 * LINE + 8  # operations pushed and not done
PENDING_BYTES = 1 * LINE + 16
COMPLETED = 1 * LINE + 24
MAX_PENDING = 1 * LINE + 32  # the brake
MAX_BYTES = 1 * LINE + 40
BRAKED = 1 * LINE + 48  # how often a pusher was held back
VARIABLES = 1 * LINE + 56  # alive
STOPPING = 2 * LINE
SPIN = 2 * LINE + 8  # pauses before a thread parks
WORKERS = 2 * LINE + 16  # native workers
PROFILE = 2 * LINE + 24  # whether times of operations are recorded
HOLD = 2 * LINE + 32  # chaos: only operations taken by `take_one` run
RELEASED = 2 * LINE + 40  # stack of variables released by finalisers, pushed without the lock
CELLS = 2 * LINE + 48  # failures not raised yet, newest first (doubly linked)
DEAD_CELLS = 2 * LINE + 56  # failures without references, for Python to drop
ALL_WAITERS = 3 * LINE  # parkers waiting for PENDING == 0
BRAKE_WAITERS = 3 * LINE + 8  # parkers waiting for the brake
DEAD_OPERATORS = 3 * LINE + 16  # deleted templates whose last push is done
FREE_VARIABLES = 3 * LINE + 24
SLAB = 3 * LINE + 32  # address of free slab memory
SLAB_END = 3 * LINE + 40
SLABS = 3 * LINE + 48  # list of slabs
SLAB_BYTES = 3 * LINE + 56  # bytes of all slabs
FREE_BLOCKS = 4 * LINE  # 24 free lists, by the power of two of their words
PENDING_NS = 7 * LINE + 40  # nanoseconds that pending kernels and plans are estimated to take
BRAKE_NEED = 7 * LINE + 48  # bytes of the push that was held back last
BUSY = 7 * LINE + 56  # native workers that are running an operation
HELPED = 8 * LINE  # tickets that helpers took
EVENTS = 8 * LINE + 8  # ring of profile records
EVENTS_SIZE = 8 * LINE + 16  # records it holds
EVENTS_NEXT = 8 * LINE + 24  # records written
RUNNING = 8 * LINE + 32  # operations between start and done (dump)
PENALTY = 8 * LINE + 40  # chunked kernels to run alone before a helper is woken again
PATIENCE = 8 * LINE + 48  # the value of PENALTY after the next late helper
PARKING = 9 * LINE  # 256 bytes of the portable parking
DEAD_INSTANCES = 13 * LINE  # plan instances that may be freed
ONE_ROWS = 13 * LINE + 8  # free instances of one row
OPEN = 13 * LINE + 32  # a running instance that has had tickets for other threads
INLINED = 13 * LINE + 48  # nanoseconds of kernels run in pushers instead of workers, decaying
INLINED_AT = 13 * LINE + 56  # when the last of them was pushed
STAMPS = 13 * LINE + 40  # launches so far: each stamps its variables, to detect duplicates
INTERNALS = 13 * LINE + 24  # pending operations of the core itself
ALIVE = 13 * LINE + 16  # pending operations, newest first
QUEUES = 14 * LINE  # ready queues, one line each
QUEUE_COUNT = 16
CORE_BYTES = (14 + 16) * LINE

# ready queue
Q_FIRST = 0  # priority 0: first in, first out
Q_LAST = 8
Q_HEAP = 16  # any other priority: pairing heap
Q_COUNT = 24
Q_IDLE = 32  # parkers of idle threads, newest first
Q_IDLES = 40

# the queues the core itself knows; the rest belong to lanes
NATIVE, PYTHON, COPY, URGENT, FIRST_LANE = 0, 1, 2, 3, 4

# ------------------------------------------------------------------ variable
V_HEAD = 0
V_TAIL = 8
V_READS = 16
V_WRITES = 24
V_ISSUED_READS = 32
V_ISSUED_WRITES = 40
V_LANE = 48  # of the issued uses; MIXED if they differ
V_VERSION = 56
V_CELL = 64
V_GENERATION = 72  # incremented when the variable dies, to detect stale addresses
V_NEXT = 80  # in a list of free or released variables
V_KEEPS = 88  # how long a failure on it applies to operations: one of the following
UNTIL_RAISED, NEVER, UNTIL_WRITTEN = 0, 1, 2
V_STAMP = 96  # of the last launch that named it
# number of the newest operation when its memory got a new owner: failures up to that number apply
# to operations up to that number
V_SINCE = 104
V_FAILED = 112  # number of the operation that wrote V_CELL
VARIABLE = 16 * WORD
MIXED = -1

# ------------------------------------------------------------------ operation (and its template)
O_SEQ = 0
O_CLASS = 8  # power of two of its words
O_NEXT = 16
O_KIND = 24
O_FLAGS = 32
O_WAIT = 40
O_COUNT = 48  # slots
O_FUNCTION = 56
O_RUNNER = 56  # of a plan or a step: the parker of the pusher that runs Python rows, or 0
O_ARGS = 64
O_LO = 72
O_HI = 80
O_ERROR = 88
O_TOKEN = 96  # names a Python object
O_QUEUE = 104
O_PRIORITY = 112
O_BYTES = 120
O_WATCHERS = 128  # parkers that wait for it
O_TEMPLATE = 136  # of an operation: its template; of a template: the number of pushes not done
O_NAME = 144
O_SITE = 152
O_LANE = 160
O_COST = 168  # nanoseconds of the kernel, or of the plan when it was pushed; 0 unknown
O_CHILD = 176  # in the heap
O_QUEUED = 184  # times, during a profile
O_STARTED = 192
O_NOTIFY = 200  # operations that become ready when this one is done
O_THREAD = 208  # parker of the thread that ran it, 0 for the pusher
O_AFTER = 216  # in the list of pending operations, newest first
O_BEFORE = 224
O_SLOTS = 232
O_FIXED = 29  # words before the slots

KERNEL, CALL, MARK, DELETE, PLAN, HELP, STEP = 0, 1, 2, 3, 4, 5, 6

# flags
SMALL = 1  # cheap enough to run in the pusher
NO_SKIP = 2  # runs although a variable that it uses is poisoned
FORCE = 4  # passes the brake
ISSUED = 8
SPLITTABLE = 16  # its range may be cut
REAPED = 32  # a template deleted by its user
STARTED = 64  # a thread runs it
OVERWRITES = 512  # runs although its outputs are poisoned, as it writes them whole
INTERNAL = 256  # of the core itself: not counted as pushed
FRESH = 128  # writes a new variable

# slot
S_VARIABLE = 0
S_NEXT = 8
S_OPERATION = 16
S_MODE = 24  # generation << 8 | bits
S_STEP = 32  # the step of a running plan that starts when the slot is granted
SLOT = 40
MUTATE, LATE, GRANTED, RETURNED, AWAITED = 1, 2, 4, 8, 16
SILENT = 32  # exclusive, but writes nothing: a wait's mark

# ------------------------------------------------------------------ failure cell
# words 0 and 8 of every block are O_SEQ and O_CLASS, which a stale ticket may still read
C_RAISED = 88  # 0, or the newest sequence number when it was raised
C_SEQ = 80
C_REFS = 16
C_CODE = 24  # the kernel's error code
C_TOKEN = 32  # names a Python exception, or 0
C_NAME = 40
C_SITE = 48
C_NEXT = 56
C_PREVIOUS = 64
C_ROW = 72  # step of a plan
CELL_WORDS = 16

# ------------------------------------------------------------------ parker: a thread that can sleep
P_WORD = 64  # SPINNING, SIGNALLED or PARKED
P_NEXT = 56  # in a queue's idle list
P_PREVIOUS = 16
P_QUEUE = 24  # whose idle list it is in, + 1; 0: none
P_WATCH_NEXT = 32  # in the list of an operation's watchers
P_WAKE_NEXT = 40  # in a list of threads to be woken after the lock
P_TAKEN = 48  # whether a thread has taken it out of its lists and will signal it
P_STEP = 72  # the Python row that its thread runs now, of a plan that it pushed
PARKER_WORDS = 16
SPINNING, SIGNALLED, PARKED = 0, 1, 2

# ------------------------------------------------------------------ plan instance
I_HEAD = 0 * LINE  # epoch << 32 | next ticket to be claimed
I_TAIL = 1 * LINE  # next free place for a ticket
I_DONE = 2 * LINE  # rows done
I_ROWS = 3 * LINE
I_TABLE = 3 * LINE + 8
I_INDEGREE = 3 * LINE + 16
I_COUNTERS = 3 * LINE + 24  # predecessors not done
I_OFFSETS = 3 * LINE + 32  # successors of row i: SUCCESSORS[OFFSETS[i]:OFFSETS[i+1]]
I_SUCCESSORS = 3 * LINE + 40
I_TICKETS = 3 * LINE + 48
I_EPOCH = 3 * LINE + 56
I_OPERATION = 4 * LINE
I_REFS = 4 * LINE + 8  # pushes not done, threads at work, helpers on their way
I_DEAD = 4 * LINE + 16
I_FAILED = 4 * LINE + 24  # some row of this run failed or was skipped
I_ERRORS = 4 * LINE + 32  # a cell per row, while I_FAILED
I_EXTERNALS = 4 * LINE + 40  # number of outside variables: the operation's first slots
I_REMAINING = 4 * LINE + 48  # rows that still have to use an outside variable; I_USES: of a new run
I_USES = 4 * LINE + 56
I_USE_OFFSETS = 5 * LINE  # outside variables of row i, as for successors: index << 2 | bits
I_USE = 5 * LINE + 8
I_SERIAL = 5 * LINE + 16  # what the interpreter may run: one of the following
LATER, KERNELS, PURE = 0, 1, 2  # nothing; kernels; Python rows too, in their pusher
I_WIDTH = 5 * LINE + 24  # whether any two parts of it can run in parallel
I_SERIAL_NS = 5 * LINE + 32  # smoothed time of a run by one thread, and by several
I_PARALLEL_NS = 5 * LINE + 40
I_PROBE = 5 * LINE + 48  # runs until the slower way is tried again, and the interval
I_INTERVAL = 5 * LINE + 56
I_STARTED = 6 * LINE  # when this run started
I_PARALLEL = 6 * LINE + 8  # whether this run is a parallel one
I_LEFT = 6 * LINE + 24  # chunks of row i not done
I_NEXT_CHUNK = 6 * LINE + 32
I_CHUNKS = 6 * LINE + 40  # number of chunks of row i in this run
I_NEXT = 6 * LINE + 48  # in the free list of one-row instances
I_EXTERNAL_ERRORS = 6 * LINE + 56  # two cells per outside variable: before the run, after it
I_ONE_ROW = 7 * LINE  # created by the core for one kernel cut into chunks
I_CARRIES = 7 * LINE + 16  # for each successor whether a failure skips it; 0: all are skipped
I_HELPED = 7 * LINE + 8  # whether a helper took part in this run
I_WORDS = 7 * LINE + 24  # number of words in every launch
I_PATCHES = 7 * LINE + 32  # number of places to which they are written when a run begins
I_PLACES = 7 * LINE + 40  # each place: its address, and the index of its word
I_UNSURE = 7 * LINE + 48  # whether a run may take far longer than earlier ones
INSTANCE_BYTES = 8 * LINE

# row of a plan
R_FUNCTION = 0
R_ARGS = 8
R_LO = 16
R_HI = 24
R_KIND = 32  # a kernel, a Python function, or the acquisition of an outside variable
R_CHUNKS = 40  # the most chunks it may be cut into
R_COST = 48  # measured nanoseconds of the whole range
R_TOKEN = 56  # Python object, or index of the outside variable
R_NAME = 64
R_USES = 72  # number of outside variables it uses
ROW = 80
ROW_KERNEL, ROW_PYTHON, ROW_ACQUIRE = 0, 1, 2
USE = 2  # bits of a use below its variable's index, as follows
LAST = 1  # this row is its last writer: the row's failure stays on it
SPARED = 2  # a failure on it does not skip the row

# profile record
E_SEQ, E_TOKEN, E_NAME, E_SITE, E_QUEUED, E_STARTED, E_ENDED, E_QUEUE = 0, 8, 16, 24, 32, 40, 48, 56
E_THREAD = 64
E_STATUS = 72  # 0 succeeded, 1 failed, 2 skipped
EVENT = 80

# record of a timed kernel: the kernel that it calls, and the sums of its times and calls
T_FUNCTION, T_ARGS, T_NANOSECONDS, T_CALLS, T_ROWS = 0, 8, 16, 24, 32
TIMED = 40
