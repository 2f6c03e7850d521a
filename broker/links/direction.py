"""One direction of a link: messages pass at once, later, or not at all.

    carry(message) --no rule--> passes at once: the caller delivers it
          |--lost--------> never arrives, or is sent again by its sender after `resend_ms`
          `--delay, cut--> queue --delay is over and no rule cuts the direction--> delivered

Messages keep their order, as on a TCP connection, and the bytes in flight when a direction is cut
arrive when the cut ends. The delays are measured by the cluster's clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from broker.steps.schedule import schedule_once
from protocol.lazy_dataclass import dataclass
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

# A node id, or `CONTROLLER`.
End = int | str


class LinkFault(Protocol):
    """A rule about the messages of a direction."""

    @property
    def label(self) -> dict[str, object]:
        """The rule as wait records have it."""
        ...

    @property
    def delay_ms(self) -> float:
        """How much later a message arrives; 0 for other faults."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether no message arrives while the rule is active."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether the rule was removed or has expired, so that the messages it delays arrive."""
        ...

    @property
    def is_loss(self) -> bool:
        """Whether the messages that the rule affects are lost."""
        ...

    def affects_message(self) -> bool:
        """Count a message; whether the rule applies to it."""
        ...


@dataclass(slots=True, eq=False)
class Carried:
    """A message in a direction; ``deliver`` is called when it arrives, unless `cancel` was called.

    ``resend_ms`` is the time after which the sender repeats a lost message, None if it does not.
    """

    deliver: Callable[[], object]
    resend_ms: float | None = None
    due_ms: float = 0.0
    is_lost: bool = False
    is_cancelled: bool = False
    faults: Sequence[LinkFault] = ()

    def cancel(self) -> None:
        """Do not deliver the message: its connection has ended."""
        self.is_cancelled = True


class Direction:
    """The messages from one end to another.

    ``is_faulty`` is False while no rule concerns them and none is on its way: then `carry` need not
    be called. ``faults`` are the active rules.
    """

    __slots__ = ("_queue", "_task", "_timer", "faults", "is_cut", "is_faulty")

    def __init__(self, timer: SystemTimer) -> None:
        self.is_faulty = False
        self.is_cut = False
        self.faults: Sequence[LinkFault] = ()
        self._timer = timer
        self._queue: deque[Carried] = deque()
        self._task: TimerTask | None = None

    def set_faults(self, faults: Sequence[LinkFault]) -> None:
        """Replace the active rules; the messages that only ended rules delay are delivered."""
        self.faults = faults
        self.is_cut = any(fault.is_cut for fault in faults)
        for message in self._queue:
            if all(fault.is_over for fault in message.faults):
                message.due_ms, message.is_lost = self._timer.now_ms(), False
        self._deliver_due()

    def carry(self, message: Carried) -> bool:
        """Send a message; True if it passes at once, so that the caller delivers it."""
        self._begin(message)
        if message.is_lost and message.resend_ms is None:
            return False
        return self._passes(message)

    def carry_setup(self, message: Carried) -> bool:
        """As `carry`, for the set-up of a connection, which no rule counts or loses."""
        message.faults = self.faults
        delay_ms = sum(fault.delay_ms for fault in self.faults)
        message.due_ms = self._timer.now_ms() + delay_ms
        return self._passes(message)

    def carry_unless_cut(self, message: Carried) -> bool:
        """As `carry`, for a message that only a cut delays, and that no rule counts."""
        message.due_ms = self._timer.now_ms()
        return self._passes(message)

    def _begin(self, message: Carried) -> None:
        """Decide the delay and the loss of a message that is sent now."""
        message.faults = [fault for fault in self.faults if fault.affects_message()]
        message.is_lost = any(fault.is_loss for fault in message.faults)
        delay_ms = sum(fault.delay_ms for fault in message.faults)
        if message.is_lost and message.resend_ms is not None:
            delay_ms = message.resend_ms
        message.due_ms = self._timer.now_ms() + delay_ms

    def _passes(self, message: Carried) -> bool:
        """Whether a message need not be queued; else it is."""
        if not self._queue and not self.is_cut and message.due_ms <= self._timer.now_ms():
            return True
        self._queue.append(message)
        self._update()
        return False

    def _expired(self) -> None:
        self._task = None
        self._deliver_due()

    def _deliver_due(self) -> None:
        while self._queue and not self.is_cut:
            message = self._queue[0]
            if message.is_cancelled:
                self._queue.popleft()
                continue
            if message.due_ms > self._timer.now_ms():
                break
            if message.is_lost:
                self._begin(message)  # the sender sends it again
                continue
            self._queue.popleft()
            self._update()
            message.deliver()
        self._update()

    def _update(self) -> None:
        """Wait for the first message, unless the direction is cut, which `set_faults` ends."""
        self.is_faulty = bool(self.faults or self._queue)
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._queue and not self.is_cut:
            delay_ms = max(0.0, self._queue[0].due_ms - self._timer.now_ms())
            self._task = schedule_once(self._timer, self._expired, delay_ms=delay_ms)
