"""A response that a fault rule sends slowly: a piece of it at each tick of a timer."""

from __future__ import annotations

from typing import Any

from broker.api.faults.fault_wait import FaultWait
from broker.api.request import Request
from broker.api.response_frame import response_frame
from broker.api.throttling import throttle
from broker.common.errors import Refused
from broker.faults.rule import FaultRule
from broker.steps.schedule import schedule_once
from broker.wait_records.causes import RULE_REMOVED, TIMED_OUT, Cause
from protocol.frame_length import finish_frame
from protocol.output import SpliceLost
from purgatories.timer.timer_task import TimerTask

# A piece has one byte, or the bytes of this time.
TICK_MS = 10


class SlowResponse:
    """Sends *response* with that many bytes per second; the last piece ends the request.

    The removal of the rule sends the rest at once.
    """

    def __init__(
        self, request: Request[Any], rule: FaultRule, response: object, bytes_per_second: int
    ) -> None:
        self._request = request
        self._rule = rule
        if request.encoded is None:
            throttle(request, response)
        frame = response_frame(request, response)
        self._response, self._bytes = response, b""
        if frame is not None:
            self._response, out = frame
            finish_frame(out, 0)
            try:
                self._bytes = out.joined()
            except SpliceLost:
                frame = None
        self._piece_bytes = max(1, bytes_per_second * TICK_MS // 1000)
        self._piece_ms = 1000 * self._piece_bytes / bytes_per_second
        self._timer = request.services.faults.timer
        pieces = -(-len(self._bytes) // self._piece_bytes)
        duration_ms = max(1, round((pieces - 1) * self._piece_ms))
        self.wait = FaultWait(rule, "slow", duration_ms, self._timer.now_ms() + duration_ms)
        self._sent_bytes = 0
        self._begun_ms = self._timer.now_ms()
        self._task: TimerTask | None = None
        rule.held.add(self)
        self._task = schedule_once(self._timer, self._advance, delay_ms=0)

    def abandon(self) -> None:
        """Send no more: the client has disconnected."""
        self._rule.held.discard(self)
        if self._task is not None:
            self._task.cancel()

    def release(self) -> None:
        """Send the rest: the rule is removed."""
        self._request.attempt(self._send_until, len(self._bytes), RULE_REMOVED)

    def _advance(self) -> None:
        pieces = int((self._timer.now_ms() - self._begun_ms) / self._piece_ms) + 1
        self._request.attempt(self._send_until, pieces * self._piece_bytes, TIMED_OUT)

    def _send_until(self, end: int, cause: Cause) -> None:
        if not self._bytes:
            raise Refused("the response cannot be encoded or read")
        sink, piece = self._request.sink, self._bytes[self._sent_bytes : end]
        self._sent_bytes += len(piece)
        is_last = self._sent_bytes == len(self._bytes)
        if piece:
            sink.send_piece(piece)
        if sink.is_closed:
            return
        if not is_last:
            due_ms = self._begun_ms + self._sent_bytes / self._piece_bytes * self._piece_ms
            delay_ms = max(0.0, due_ms - self._timer.now_ms())
            self._task = schedule_once(self._timer, self._advance, delay_ms=delay_ms)
            return
        self.abandon()
        self.wait.ended_by = cause
        self._request.services.request_channel.sent_in_pieces(self._request, self._response)
