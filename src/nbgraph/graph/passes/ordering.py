"""The order of tasks: a legal one in which less memory is in use at once."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from nbgraph.graph.passes.lifetimes import Life, lives, peak_of
from nbgraph.graph.schedule import Schedule, predecessors


def order(schedule: Schedule) -> bool:
    """Reorder the tasks if that lowers the peak of memory in list order; whether it did.

    Of the tasks that could run next, the one goes first that allocates least beyond what it frees;
    among equals the list's order stays. Preserves the order of any two tasks of which one has to
    wait for the other.
    """
    tasks = schedule.tasks
    before, places = predecessors(tasks), lives(schedule)
    found = _Greedy(before, places).run()
    schedule.tasks = [tasks[k] for k in found]
    if peak_of(lives(schedule), len(tasks)) < peak_of(places, len(tasks)):
        return True
    schedule.tasks = tasks
    return False


class _Greedy:
    def __init__(self, before: Sequence[set[int]], places: Sequence[Life]) -> None:
        count = len(before)
        self.missing = [len(others) for others in before]
        self.successors: list[list[int]] = [[] for _ in range(count)]
        for k, others in enumerate(before):
            for other in others:
                self.successors[other].append(k)
        self.places = places
        self.touches: list[list[int]] = [[] for _ in range(count)]  # places by number
        for p, life in enumerate(places):
            for k in life.touched:
                self.touches[k].append(p)
        self.left = [len(life.touched) for life in places]  # tasks that are yet to touch it
        self.cost: list[int | None] = [None] * count  # of tasks that could run
        self.ready: list[tuple[int, int]] = []  # may hold costs that have changed since

    def run(self) -> list[int]:
        done: list[int] = []
        for k, missing in enumerate(self.missing):
            if not missing:
                self.offer(k)
        while self.ready:
            cost, k = heapq.heappop(self.ready)
            if self.cost[k] != cost:
                continue
            self.cost[k] = None
            self.missing[k] = -1
            done.append(k)
            self.finish(k)
        return done

    def finish(self, k: int) -> None:
        for p in self.touches[k]:
            self.left[p] -= 1
            if self.left[p] == 1:  # its last toucher frees it: that one has become cheaper
                last = next(t for t in self.places[p].touched if self.missing[t] >= 0)
                if self.cost[last] is not None:
                    self.offer(last)
        for other in self.successors[k]:
            self.missing[other] -= 1
            if not self.missing[other]:
                self.offer(other)

    def offer(self, k: int) -> None:
        cost = 0
        for p in self.touches[k]:
            life = self.places[p]
            begins = self.left[p] == len(life.touched) and life.pinned is None
            cost += life.size * begins
            cost -= life.size * (self.left[p] == 1 and not life.lasts)
        self.cost[k] = cost
        heapq.heappush(self.ready, (cost, k))
