"""Sockets that are closed after a delay."""

from __future__ import annotations

import socket

from broker.network.listeners.throttled_sockets import ThrottledSockets
from tests.broker.quotas.timers import ManualTimer


def test_a_socket_is_closed_after_its_throttle_time() -> None:
    """And not before."""
    hand, closed = ManualTimer(), list[bool]()
    throttled = ThrottledSockets(hand.timer, lambda: closed.append(True))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        throttled.add(ours, 500)
        hand.pass_ms(499)
        assert ours.fileno() >= 0

        hand.pass_ms(1)

        assert theirs.recv(1) == b""
        assert closed == [True]


def test_at_the_end_all_are_closed_at_once() -> None:
    """Their timer tasks are cancelled."""
    hand, closed = ManualTimer(), list[bool]()
    throttled = ThrottledSockets(hand.timer, lambda: closed.append(True))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        throttled.add(ours, 500)

        throttled.close()

        assert theirs.recv(1) == b""
        assert (closed, hand.timer.size) == ([True], 0)
