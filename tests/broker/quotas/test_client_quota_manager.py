"""What clients may do, and how long they must pause."""

from __future__ import annotations

from math import inf, nan

import pytest

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.entity import Entity, Quotas, entity_of

KEY = "producer_byte_rate"


class Story:
    """A quota, and a clock that is set by hand."""

    def __init__(self, *limits: tuple[dict[str, str | None], float]) -> None:
        self.now_ms = 0.0
        self.quota = ClientQuotaManager(KEY, Config(), lambda: self.now_ms)
        quotas: dict[Entity, Quotas] = {
            entity_of(names.items()): {KEY: limit} for names, limit in limits
        }
        self.quota.reconfigure(quotas)


def test_no_quota_is_not_in_force() -> None:
    """Nor is one of another kind."""
    story = Story()
    story.quota.reconfigure({(("client-id", "a"),): {"consumer_byte_rate": 1.0}})

    assert not story.quota.quotas_enabled
    assert story.quota.record("a", 1 << 40) == 0
    assert story.quota.max_value_in_quota_window("a") == inf


def test_the_pause_brings_the_rate_down_to_the_limit() -> None:
    """Twelve thousand bytes need twelve seconds at a thousand a second, of which ten are past."""
    story = Story(({"client-id": "a"}, 1000))

    assert story.quota.record("a", 10_000) == 0
    assert story.quota.record("a", 2_000) == 2000


@pytest.mark.parametrize(
    ("limit", "amount", "throttle_ms"),
    [
        (1.0, 6_000_100, 6_000_090_000 - 2**32),  # what Kafka 4.3.1 responds with, too
        (1.0, 3_000_000, 0),  # the low 32 bits are a negative number
        (1e-300, 6_000_000, 0),
        (5e-324, 6_000_000, 0),
        (nan, 6_000_000, 0),
    ],
)
def test_a_pause_that_does_not_fit_32_bits(limit: float, amount: int, throttle_ms: int) -> None:
    """It loses its higher bits, and a negative one is none, as in Kafka."""
    story = Story(({"client-id": "a"}, limit))

    assert story.quota.record("a", amount) == throttle_ms


def test_the_pauses_are_those_of_a_real_kafka() -> None:
    """What a Kafka 4.3.1 answered to a client of 1000 bytes a second, up to its own delays."""
    story = Story(({"client-id": "a"}, 1000))
    throttled = []
    for size, pause_ms in ((2118, 10), (15_118, 7268), (1117, 8035), (1117, 0)):
        throttled.append(story.quota.record("a", size))
        story.now_ms += pause_ms

    assert throttled == [0, pytest.approx(7201, abs=60), pytest.approx(8035, abs=60), 0]


@pytest.mark.parametrize(
    "ranked",
    [
        [
            {"user": "ANONYMOUS", "client-id": "a"},
            {"user": "ANONYMOUS", "client-id": None},
            {"user": "ANONYMOUS"},
            {"user": None, "client-id": "a"},
            {"user": None, "client-id": None},
            {"user": None},
            {"client-id": "a"},
            {"client-id": None},
        ]
    ],
)
def test_the_most_particular_quota_counts(ranked: list[dict[str, str | None]]) -> None:
    """Kafka's order, from user and client id down to the default of all client ids."""
    for first in range(len(ranked)):
        limits = [(names, 100.0 * (first + at)) for at, names in enumerate(ranked[first:], start=1)]
        story = Story(*reversed(limits))

        assert story.quota.max_value_in_quota_window("a") == 1000 * (first + 1)


def test_clients_of_a_user_share_the_users_quota() -> None:
    """Every client is ANONYMOUS: what one takes another does not get."""
    story = Story(({"user": "ANONYMOUS"}, 1000))
    story.quota.record("a", 10_000)

    assert story.quota.record("b", 1000) == 1000


def test_a_default_for_client_ids_is_each_ones_own() -> None:
    """Nobody pays for another; no client id is one, too."""
    story = Story(({"client-id": None}, 1000))
    story.quota.record("a", 10_000)

    assert story.quota.record("b", 10_000) == 0
    assert story.quota.record(None, 10_000) == 0
    assert story.quota.record("a", 1000) == 1000


def test_what_is_taken_back_costs_nothing() -> None:
    """A consumer that was refused may ask for as much again."""
    story = Story(({"client-id": "a"}, 1000))
    assert story.quota.record("a", 11_000) == 1000

    story.quota.unrecord("a", 11_000)

    assert story.quota.record("a", 10_000) == 0


def test_another_limit_counts_what_was_measured() -> None:
    """A quota that is made smaller is so for what came before, too."""
    story = Story(({"client-id": "a"}, 1000))
    story.quota.record("a", 10_000)

    story.quota.reconfigure({(("client-id", "a"),): {KEY: 500.0}})

    assert story.quota.record("a", 0) == 10_000


def test_clients_that_are_gone_are_forgotten() -> None:
    """After an hour, and only those."""
    story = Story(({"client-id": None}, 1000))
    story.quota.record("gone", 1)
    story.now_ms = 3_599_000
    story.quota.record("here", 1)
    story.now_ms = 3_600_000

    story.quota.remove_idle()

    assert [client for _, client in story.quota._rates] == ["here"]
