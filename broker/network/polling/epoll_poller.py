"""Readiness by an epoll object of its own, whose descriptor the event loop waits for (Linux).

    trio's epoll --one descriptor--> this epoll --> the socket of each connection

A socket stays registered while its connection waits for requests, so that a request needs no system
call but to receive and to send, and one call reports all sockets that are ready.

While no other task has anything to do, the poller waits without trio (`IdleLoop`).
"""

from __future__ import annotations

import os
import select
import sys
from typing import Final

import trio

from broker.network.polling.poller import Watched
from broker.network.polling.task_poller import TaskPoller
from broker.network.transports.transport import Watch
from broker.steps import idle_loop

assert sys.platform == "linux"

_IN: Final = select.EPOLLIN
_OUT: Final = select.EPOLLOUT
# The others wait in the kernel, and are reported first by the next call.
_REPORTED_AT_ONCE: Final = 1024


class EpollPoller:
    """A `Poller` for transports with a descriptor; *others* has those without one."""

    def __init__(self, others: TaskPoller) -> None:
        self._epoll = select.epoll()
        self._wakes = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._wakes, _IN)
        self._is_woken = False
        self._watched: dict[int, Watched] = {}
        self._others = others
        others.on_report = self.wake
        self._idle_loop = idle_loop.present_idle_loop()
        if self._idle_loop is not None:
            descriptor = self._idle_loop.descriptor
            self._descriptors = idle_loop.LoopDescriptors(self._epoll.fileno(), descriptor)

    def watch(self, watched: Watched) -> Watch:
        """See `Poller.watch`."""
        descriptor = watched.transport.fileno()
        if descriptor < 0:
            return self._others.watch(watched)
        self._epoll.register(descriptor, _IN)
        self._watched[descriptor] = watched
        return EpollWatch(self._epoll, self._watched, descriptor)

    async def wait(self) -> None:
        """See `Poller.wait`."""
        self._others.rearm()
        if self._idle_loop is None or not self._idle_loop.wait(self._descriptors):
            await trio.lowlevel.wait_readable(self._epoll.fileno())

    async def yield_to_others(self) -> None:
        """See `Poller.yield_to_others`."""
        if self._idle_loop is None or not self._idle_loop.is_alone(self._descriptors):
            await trio.lowlevel.checkpoint()

    def wake(self) -> None:
        """See `Poller.wake`."""
        if not self._is_woken:
            self._is_woken = True
            os.eventfd_write(self._wakes, 1)

    def poll(self) -> None:
        """See `Poller.poll`."""
        watched = self._watched
        for descriptor, events in self._epoll.poll(0, _REPORTED_AT_ONCE):
            if events == _IN:
                found = watched.get(descriptor)
                if found is not None:
                    found.ready(True, False)
                elif descriptor == self._wakes:
                    os.eventfd_read(descriptor)
                    self._is_woken = False
            else:  # an error or a disconnect wakes both directions
                found = watched.get(descriptor)
                if found is not None:
                    found.ready(bool(events & ~_OUT), bool(events & ~_IN))
        self._others.poll()

    def close(self) -> None:
        """See `Poller.close`."""
        trio.lowlevel.notify_closing(self._epoll.fileno())
        self._epoll.close()
        if self._idle_loop is not None:
            self._descriptors.close()
        os.close(self._wakes)


class EpollWatch:
    """The `Watch` of one descriptor."""

    __slots__ = ("_descriptor", "_epoll", "_events", "_watched")

    def __init__(
        self, registered: select.epoll, watched: dict[int, Watched], descriptor: int
    ) -> None:
        self._epoll = registered
        self._watched = watched
        self._descriptor = descriptor
        self._events = _IN

    def update(self, reads: bool, writes: bool) -> None:
        """See `Watch.update`.

        A descriptor without events is unregistered, because epoll reports errors and disconnects
        of each registered one.
        """
        events = (_IN if reads else 0) | (_OUT if writes else 0)
        before, self._events = self._events, events
        if events == before:
            return
        if not events:
            self._epoll.unregister(self._descriptor)
        elif not before:
            self._epoll.register(self._descriptor, events)
        else:
            self._epoll.modify(self._descriptor, events)

    def end(self) -> None:
        """See `Watch.end`."""
        self.update(reads=False, writes=False)
        del self._watched[self._descriptor]
