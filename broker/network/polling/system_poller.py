"""The poller for the operating system."""

from __future__ import annotations

import sys

import trio

from broker.network.polling.poller import Poller
from broker.network.polling.task_poller import TaskPoller

if sys.platform == "linux":
    from broker.network.polling.epoll_poller import EpollPoller

    def system_poller(nursery: trio.Nursery) -> Poller:
        """A poller; *nursery* runs the tasks that wait for transports without a descriptor."""
        return EpollPoller(TaskPoller(nursery))

else:

    def system_poller(nursery: trio.Nursery) -> Poller:
        """A poller; *nursery* runs the tasks that wait for its transports."""
        return TaskPoller(nursery)
