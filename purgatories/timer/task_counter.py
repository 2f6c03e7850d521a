"""The number of tasks in all buckets of a timer, and the lock that guards those buckets.

    [ bucket ] [ bucket ] [ bucket ]     of all wheels
         |          |          |
         +----------+----------+--> lock, value     add, cancel and flush are done under the lock
Kafka locks each list and each entry, so that several cores can add at once. With Python's global
interpreter lock that has no benefit: one lock for all lists of a timer is cheaper to acquire, and
moving an entry between lists is one step under it.
"""

from __future__ import annotations

from threading import Lock


class TaskCounter:
    """The number of entries in the lists that share this counter, and of their moves."""

    __slots__ = ("demotions", "lock", "value")

    def __init__(self) -> None:
        self.lock = Lock()
        self.value = 0
        self.demotions = 0  # from a bucket to one of a finer wheel
