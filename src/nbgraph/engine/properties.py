"""Kinds of operations: hints where they run, and whether failures skip them."""

from enum import Enum


class FnProperty(Enum):
    """The kinds of MXNet's engine; its names stay as aliases (`FnProperty.kNoSkip`).

    | property        | meaning                                                             |
    |-----------------|---------------------------------------------------------------------|
    | NORMAL          | ordinary work                                                       |
    | COPY_FROM_GPU   | a copy from a GPU: runs on its own threads                          |
    | COPY_TO_GPU     | a copy to a GPU: runs on its own threads                            |
    | CPU_PRIORITIZED | short host work that others wait for: goes before ordinary work     |
    | GPU_PRIORITIZED | the same on a GPU                                                   |
    | ASYNC           | ends when its `on_complete` is called (what `push_async` pushes)    |
    | DELETE_VAR      | the last operation of a variable (what `delete_variable` pushes)    |
    | NO_SKIP         | runs although a variable that it reads or writes carries a failure  |
    | OVERWRITE       | runs although its outputs carry a failure, as it writes them whole  |

    >>> FnProperty.kNoSkip is FnProperty.NO_SKIP
    True
    """

    NORMAL = 0
    COPY_FROM_GPU = 1
    COPY_TO_GPU = 2
    CPU_PRIORITIZED = 3
    ASYNC = 4
    DELETE_VAR = 5
    GPU_PRIORITIZED = 6
    NO_SKIP = 7
    OVERWRITE = 8

    kNormal = NORMAL
    kCopyFromGPU = COPY_FROM_GPU
    kCopyToGPU = COPY_TO_GPU
    kCPUPrioritized = CPU_PRIORITIZED
    kAsync = ASYNC
    kDeleteVar = DELETE_VAR
    kGPUPrioritized = GPU_PRIORITIZED
    kNoSkip = NO_SKIP


NORMAL = FnProperty.NORMAL
ASYNC = FnProperty.ASYNC
NO_SKIP = FnProperty.NO_SKIP
OVERWRITE = FnProperty.OVERWRITE
DELETE_VAR = FnProperty.DELETE_VAR
UNSKIPPED = (NO_SKIP, DELETE_VAR)
