"""Alarms of Linux, exact to some ten microseconds: one ``timerfd`` for all of an event loop.

    alarm.set --> earlier than what is set: descriptor --readable--> task --> alarms that are due
                                                ^                     |
                                                `-- earliest of the others

A broker has a timer for each purgatory, and may be allowed few descriptors.
"""

from __future__ import annotations

import ctypes
import os
import sys
from math import inf

import trio

assert sys.platform == "linux"

_CLOCK_MONOTONIC = 1  # the clock of trio
_NS_PER_S = 1_000_000_000
# The kernel refuses times that are centuries away.
_S_MAX = 1e9


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Itimerspec(ctypes.Structure):
    """``interval`` is 0, so that it rings once; ``value`` is the time left."""

    _fields_ = (("interval", _Timespec), ("value", _Timespec))


# Python has these functions since 3.13 (``os.timerfd_create``).
_libc = ctypes.CDLL(None, use_errno=True)
_settime = _libc.timerfd_settime
_settime.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class TimerfdAlarm:
    """An `Alarm` that does not round to milliseconds; to be made in trio's thread.

    Raises OSError without free descriptors.
    """

    def __init__(self) -> None:
        self.deadline = inf
        self.rung = trio.Event()
        self._source = _source_of_loop()
        self._source.alarms[self] = None

    def set(self, left_s: float) -> None:
        """See `Alarm.set`; without effect after `close`."""
        self.deadline = trio.current_time() + left_s
        if self in self._source.alarms:
            self._source.set(self.deadline)

    async def wait(self) -> None:
        """See `Alarm.wait`."""
        await self.rung.wait()
        self.rung = trio.Event()

    def close(self) -> None:
        """See `Alarm.close`."""
        del self._source.alarms[self]
        if not self._source.alarms:
            self._source.close()


class _Source:
    """The descriptor of an event loop, and the alarms that it rings."""

    def __init__(self) -> None:
        self.alarms: dict[TimerfdAlarm, None] = {}
        self.is_closed = False
        self._earliest = inf
        self._spec = _Itimerspec()
        self._address = ctypes.addressof(self._spec)
        self._descriptor = _libc.timerfd_create(_CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        trio.lowlevel.spawn_system_task(self._run)

    def set(self, deadline: float) -> None:
        """Ring at *deadline* if that is earlier than what is set."""
        if deadline < self._earliest:
            self._earliest = deadline
            left_s = min(max(deadline - trio.current_time(), 0), _S_MAX)
            value = self._spec.value
            # Rounded up; a time of 0 would stop the descriptor.
            value.seconds, value.nanoseconds = divmod(int(left_s * _NS_PER_S) + 1, _NS_PER_S)
            failed = _settime(self._descriptor, 0, self._address, None)
            assert not failed, f"timerfd_settime {left_s} s: {os.strerror(ctypes.get_errno())}"

    async def _run(self) -> None:
        """Ring the alarms that are due until closed."""
        while not self.is_closed:
            try:
                await trio.lowlevel.wait_readable(self._descriptor)
                if self.is_closed:  # after the ring had scheduled this task
                    return
                os.read(self._descriptor, 8)
            except trio.ClosedResourceError:
                return
            except BlockingIOError:  # it was set again after it had rung
                continue
            self._ring(trio.current_time())

    def _ring(self, now: float) -> None:
        for alarm in self.alarms:
            if alarm.deadline <= now:
                alarm.deadline = inf
                alarm.rung.set()
        self._earliest = inf
        self.set(min((alarm.deadline for alarm in self.alarms), default=inf))

    def close(self) -> None:
        """Release the descriptor; the next alarm of the loop has another source."""
        self.is_closed = True
        trio.lowlevel.notify_closing(self._descriptor)
        os.close(self._descriptor)


_source = trio.lowlevel.RunVar[_Source | None]("timerfd")


def _source_of_loop() -> _Source:
    present = _source.get(None)
    if present is None or present.is_closed:
        present = _Source()
        _source.set(present)
    return present
