"""The messages of one direction of a link, with the rules that concern them."""

from __future__ import annotations

from functools import partial

import pytest

from broker.links.direction import Carried, Direction
from purgatories.timer.system_timer import SystemTimer
from tests.broker.links.fake_rules import FakeLinkRule


class Traffic:
    """A direction, a clock that the test moves, and the messages that have arrived."""

    def __init__(self, *rules: FakeLinkRule) -> None:
        self.now_ms = 0.0
        self.timer = SystemTimer("links", now_ms=lambda: self.now_ms)
        self.direction = Direction(self.timer)
        self.direction.set_faults(rules)
        self.arrived: list[str] = []

    def send(self, name: str, resend_ms: float | None = None) -> Carried:
        message = Carried(partial(self.arrived.append, name), resend_ms)
        if self.direction.carry(message):
            message.deliver()
        return message

    def advance(self, ms: float) -> None:
        for _ in range(int(ms)):
            self.now_ms += 1
            self.timer.advance_clock(0)


def test_a_direction_without_rules_is_not_faulty() -> None:
    """A message passes at once."""
    traffic = Traffic()

    traffic.send("a")

    assert not traffic.direction.is_faulty
    assert traffic.arrived == ["a"]


def test_a_delayed_message_arrives_after_the_delay() -> None:
    """Not a millisecond earlier, by the clock of the cluster."""
    traffic = Traffic(FakeLinkRule(delay_ms=50))

    traffic.send("a")
    traffic.advance(49)
    before = list(traffic.arrived)
    traffic.advance(1)

    assert (before, traffic.arrived) == ([], ["a"])


def test_the_delays_of_several_rules_add_up() -> None:
    """Two rules concern the same direction."""
    traffic = Traffic(FakeLinkRule(delay_ms=5), FakeLinkRule(delay_ms=7))

    traffic.send("a")
    traffic.advance(11)
    before = list(traffic.arrived)
    traffic.advance(1)

    assert (before, traffic.arrived) == ([], ["a"])


def test_messages_keep_their_order_when_the_delay_decreases() -> None:
    """A later message with a shorter delay does not overtake an earlier one."""
    long, short = FakeLinkRule(delay_ms=50), FakeLinkRule(delay_ms=1)
    traffic = Traffic(long)
    traffic.send("a")
    traffic.direction.set_faults([short])
    traffic.send("b")

    traffic.advance(49)
    before = list(traffic.arrived)
    traffic.advance(1)

    assert (before, traffic.arrived) == ([], ["a", "b"])


def test_a_rule_that_has_ended_delays_no_message_any_more() -> None:
    """Its messages arrive at the time of its removal."""
    rule = FakeLinkRule(delay_ms=50)
    traffic = Traffic(rule)
    traffic.send("a")

    rule.is_over = True
    traffic.direction.set_faults([])

    assert traffic.arrived == ["a"]
    assert not traffic.direction.is_faulty


def test_a_spent_rule_still_delays_its_messages() -> None:
    """It applies to no later message, which waits for the earlier one."""
    traffic = Traffic(FakeLinkRule(delay_ms=50))
    traffic.send("a")

    traffic.direction.set_faults([])
    is_faulty = traffic.direction.is_faulty
    traffic.send("b")
    before = list(traffic.arrived)
    traffic.advance(50)

    assert (is_faulty, before, traffic.arrived) == (True, [], ["a", "b"])
    assert not traffic.direction.is_faulty


def test_a_cut_withholds_messages_until_it_ends() -> None:
    """As TCP sends the bytes in flight again when the network works."""
    cut = FakeLinkRule(is_cut=True)
    traffic = Traffic(cut)
    traffic.send("a")
    traffic.send("b")
    traffic.advance(100_000)
    before = list(traffic.arrived)

    traffic.direction.set_faults([])

    assert (before, traffic.arrived) == ([], ["a", "b"])


def test_a_message_that_is_delayed_is_caught_by_a_later_cut() -> None:
    """It arrives when both have ended."""
    delay, cut = FakeLinkRule(delay_ms=5), FakeLinkRule(is_cut=True)
    traffic = Traffic(delay)
    traffic.send("a")
    traffic.direction.set_faults([delay, cut])
    traffic.advance(10)
    before = list(traffic.arrived)

    traffic.direction.set_faults([delay])

    assert (before, traffic.arrived) == ([], ["a"])


def test_a_lost_message_never_arrives() -> None:
    """Also not after the end of the rule."""
    rule = FakeLinkRule(percent=100)
    traffic = Traffic(rule)
    traffic.send("a")
    traffic.advance(1000)

    traffic.direction.set_faults([])
    traffic.send("b")

    assert traffic.arrived == ["b"]


def test_a_lost_message_that_is_sent_again_arrives_later() -> None:
    """Each time it is drawn anew whether it is lost."""
    rule = FakeLinkRule(percent=50, seed=3)
    traffic = Traffic(rule)

    traffic.send("a", resend_ms=10)
    traffic.advance(1000)

    assert traffic.arrived == ["a"]
    assert rule.losses[-1] is False


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_loses_the_same_messages_each_time(seed: int) -> None:
    """And about the given percentage of them."""
    runs = []
    for _ in range(2):
        traffic = Traffic(FakeLinkRule(percent=30, seed=seed))
        for number in range(1000):
            traffic.send(str(number))
        runs.append(traffic.arrived)

    assert runs[0] == runs[1]
    assert 600 < len(runs[0]) < 800


def test_a_cancelled_message_does_not_arrive() -> None:
    """Its connection has ended; later messages arrive."""
    cut = FakeLinkRule(is_cut=True)
    traffic = Traffic(cut)
    traffic.send("a").cancel()
    traffic.send("b")

    traffic.direction.set_faults([])

    assert traffic.arrived == ["b"]


def test_a_message_that_is_sent_by_a_delivery_arrives_last() -> None:
    """The messages that were sent before it come first."""
    cut = FakeLinkRule(is_cut=True)
    traffic = Traffic(cut)
    traffic.direction.carry(Carried(lambda: traffic.send("c")))
    traffic.send("b")

    traffic.direction.set_faults([])

    assert traffic.arrived == ["b", "c"]
