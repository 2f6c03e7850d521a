"""When frames had been read."""

from __future__ import annotations

from broker.network.arrivals import Arrivals


def test_frames_that_come_together_have_come_at_the_same_time() -> None:
    """One piece, two frames."""
    arrivals = Arrivals()
    arrivals.received(30, 1.0)

    assert [arrivals.frame(10), arrivals.frame(20)] == [1.0, 1.0]


def test_a_frame_in_pieces_has_come_with_its_last_byte() -> None:
    """What belongs to the next frame does not count."""
    arrivals = Arrivals()
    arrivals.received(5, 1.0)
    arrivals.received(5, 2.0)
    arrivals.received(10, 3.0)

    assert [arrivals.frame(10), arrivals.frame(10)] == [2.0, 3.0]


def test_a_frame_ends_within_a_piece() -> None:
    """The rest of the piece is still there for the next one."""
    arrivals = Arrivals()
    arrivals.received(15, 1.0)
    first = arrivals.frame(10)
    arrivals.received(5, 2.0)

    assert (first, arrivals.frame(10)) == (1.0, 2.0)
