"""An alarm of Linux, exact to some ten microseconds: a descriptor that becomes readable in time."""

from __future__ import annotations

import ctypes
import os
import sys
from math import inf

import trio

assert sys.platform == "linux"

_CLOCK_MONOTONIC = 1  # the clock of trio
_NS_PER_S = 1_000_000_000
# A time of 0 disarms the descriptor.
_NS_MIN = 1
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
    """An `Alarm` that does not round to milliseconds. Raises OSError without free descriptors."""

    def __init__(self) -> None:
        self._descriptor = _libc.timerfd_create(_CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        self._spec = _Itimerspec()
        self._address = ctypes.addressof(self._spec)

    def set(self, left_s: float) -> None:
        """See `Alarm.set`; without effect after `close`."""
        if self._descriptor < 0:
            return
        left_ns = 0 if left_s == inf else int(max(min(left_s, _S_MAX) * _NS_PER_S, _NS_MIN))
        value = self._spec.value
        value.seconds, value.nanoseconds = divmod(left_ns, _NS_PER_S)
        failed = _settime(self._descriptor, 0, self._address, None)
        assert not failed, f"timerfd_settime({left_ns} ns): {os.strerror(ctypes.get_errno())}"

    async def wait(self) -> None:
        """See `Alarm.wait`."""
        while True:
            await trio.lowlevel.wait_readable(self._descriptor)
            try:
                os.read(self._descriptor, 8)
            except BlockingIOError:  # it was set again after it had rung
                continue
            return

    def close(self) -> None:
        """See `Alarm.close`."""
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)
