"""The number of tasks in all buckets of a timer, and the one lock that guards those buckets.

    [ bucket ] [ bucket ] [ bucket ]     of all wheels
         |          |          |
         +----------+----------+--> lock, value     add, cancel and flush are done under the lock

Kafka locks each list and each entry, so that many cores may add at once. Under one interpreter that
buys nothing; a lock shared by all lists of a timer is cheaper to take, and moving an entry from one
list to another is a single step under it.
"""

from __future__ import annotations

from threading import Lock


class TaskCounter:
    """How many entries are linked in the lists that share this counter."""

    __slots__ = ("lock", "value")

    def __init__(self) -> None:
        self.lock = Lock()
        self.value = 0
