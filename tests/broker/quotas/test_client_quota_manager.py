"""The rates and throttle times of clients."""

from __future__ import annotations

from math import inf, nan

import pytest

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.entity import entity_of

KEY = "producer_byte_rate"
ANONYMOUS = "ANONYMOUS"


class MeteredQuota:
    """A quota with a clock that tests set."""

    def __init__(self, *limits: tuple[dict[str, str | None], float]) -> None:
        self.now_ms = 0.0
        self.quota = ClientQuotaManager(KEY, Config(), lambda: self.now_ms)
        for names, limit in limits:
            self.quota.put(entity_of(names.items()), {KEY: limit})

    def throttle_ms(self, user: str, client_id: str | None, amount: float) -> int:
        """Record what a client used; returns its throttle time."""
        throttle = self.quota.record(user, client_id, amount)
        return 0 if throttle is None else throttle.time_ms


def test_without_a_quota_quotas_are_disabled() -> None:
    """A quota of another kind does not enable it."""
    metered = MeteredQuota()
    metered.quota.put((("client-id", "a"),), {"consumer_byte_rate": 1.0})

    assert not metered.quota.quotas_enabled
    assert metered.throttle_ms(ANONYMOUS, "a", 1 << 40) == 0
    assert metered.quota.max_value_in_quota_window(ANONYMOUS, "a") == inf


@pytest.mark.parametrize("client_id", [None, ""])
def test_an_empty_client_id_has_no_quota_of_client_ids(client_id: str | None) -> None:
    """Not even the default one; that of its user applies."""
    by_client = MeteredQuota(
        ({"client-id": None}, 1000),
        ({"client-id": None, "user": None}, 1000),
        ({"client-id": None, "user": ANONYMOUS}, 1000),
    )
    by_user = MeteredQuota(({"client-id": None, "user": None}, 1), ({"user": None}, 1000))

    assert by_client.throttle_ms(ANONYMOUS, client_id, 12_000) == 0
    assert by_user.throttle_ms(ANONYMOUS, client_id, 12_000) == 2000


def test_the_throttle_time_brings_the_rate_down_to_the_limit() -> None:
    """12,000 bytes take 12 s at 1000 bytes per second, of which 10 s count as past."""
    metered = MeteredQuota(({"client-id": "a"}, 1000))

    assert metered.throttle_ms(ANONYMOUS, "a", 10_000) == 0
    assert metered.throttle_ms(ANONYMOUS, "a", 2_000) == 2000


@pytest.mark.parametrize(
    ("limit", "amount", "throttle_ms"),
    [
        (1.0, 6_000_100, 6_000_090_000 - 2**32),  # as Kafka 4.3.1
        (1.0, 3_000_000, 0),  # the low 32 bits are a negative number
        (1e-300, 6_000_000, 0),
        (5e-324, 6_000_000, 0),
        (nan, 6_000_000, 0),
    ],
)
def test_a_throttle_time_loses_bits_beyond_32(limit: float, amount: int, throttle_ms: int) -> None:
    """A negative result is 0, as in Kafka."""
    metered = MeteredQuota(({"client-id": "a"}, limit))

    assert metered.throttle_ms(ANONYMOUS, "a", amount) == throttle_ms


def test_throttle_times_are_kafkas() -> None:
    """Those of Kafka 4.3.1 for a client with 1000 bytes per second, within its delays."""
    metered = MeteredQuota(({"client-id": "a"}, 1000))
    throttled = []
    for size, pause_ms in ((2118, 10), (15_118, 7268), (1117, 8035), (1117, 0)):
        throttled.append(metered.throttle_ms(ANONYMOUS, "a", size))
        metered.now_ms += pause_ms

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
def test_the_most_specific_quota_applies(ranked: list[dict[str, str | None]]) -> None:
    """In Kafka's order, from user and client id to the default of client ids."""
    for first in range(len(ranked)):
        limits = [(names, 100.0 * (first + at)) for at, names in enumerate(ranked[first:], start=1)]
        metered = MeteredQuota(*reversed(limits))

        assert metered.quota.max_value_in_quota_window(ANONYMOUS, "a") == 1000 * (first + 1)


def test_clients_of_a_user_share_the_users_quota() -> None:
    """The rates of its clients add up."""
    metered = MeteredQuota(({"user": "ANONYMOUS"}, 1000))
    metered.throttle_ms(ANONYMOUS, "a", 10_000)

    assert metered.throttle_ms(ANONYMOUS, "b", 1000) == 1000


def test_a_default_for_client_ids_applies_to_each_separately() -> None:
    """A missing client id is one of them."""
    metered = MeteredQuota(({"client-id": None}, 1000))
    metered.throttle_ms(ANONYMOUS, "a", 10_000)

    assert metered.throttle_ms(ANONYMOUS, "b", 10_000) == 0
    assert metered.throttle_ms(ANONYMOUS, None, 10_000) == 0
    assert metered.throttle_ms(ANONYMOUS, "a", 1000) == 1000


def test_an_unrecorded_amount_does_not_count() -> None:
    """A throttled consumer may fetch the same amount later."""
    metered = MeteredQuota(({"client-id": "a"}, 1000))
    assert metered.throttle_ms(ANONYMOUS, "a", 11_000) == 1000

    metered.quota.unrecord(ANONYMOUS, "a", 11_000)

    assert metered.throttle_ms(ANONYMOUS, "a", 10_000) == 0


def test_another_limit_applies_to_the_measured_rate() -> None:
    """A smaller quota applies to earlier amounts, too."""
    metered = MeteredQuota(({"client-id": "a"}, 1000))
    metered.throttle_ms(ANONYMOUS, "a", 10_000)

    metered.quota.put((("client-id", "a"),), {KEY: 500.0})

    assert metered.throttle_ms(ANONYMOUS, "a", 0) == 10_000


def test_a_removed_quota_limits_no_client() -> None:
    """Those of other entities stay."""
    metered = MeteredQuota(({"client-id": "a"}, 1000), ({"client-id": "b"}, 1000))

    metered.quota.put((("client-id", "a"),), {})

    assert metered.throttle_ms(ANONYMOUS, "a", 12_000) == 0
    assert metered.throttle_ms(ANONYMOUS, "b", 12_000) == 2000
    metered.quota.put((("client-id", "b"),), {})
    assert not metered.quota.quotas_enabled


def test_inactive_clients_are_removed() -> None:
    """After an hour without use."""
    metered = MeteredQuota(({"client-id": None}, 1000))
    metered.throttle_ms(ANONYMOUS, "gone", 1)
    metered.now_ms = 3_599_000
    metered.throttle_ms(ANONYMOUS, "here", 1)
    metered.now_ms = 3_600_000

    metered.quota.remove_idle()

    assert [client for _, client in metered.quota._measured] == ["here"]  # noqa: SLF001 - memory is the only effect


def test_each_user_has_a_rate_of_its_own() -> None:
    """Also under a default quota; a quota of a user is used before it."""
    metered = MeteredQuota(({"user": None}, 1000), ({"user": "alice"}, 500))

    assert metered.throttle_ms("bob", "a", 11_000) == 1000
    assert metered.throttle_ms("carol", "a", 10_000) == 0
    assert metered.throttle_ms("alice", "a", 5_500) == 1000


def test_a_throttle_names_the_quota_and_the_rates() -> None:
    """And the entity that has the quota; None is the default of its type."""
    metered = MeteredQuota(({"user": "alice", "client-id": None}, 1000))

    throttle = metered.quota.record("alice", "a", 12_000)

    entity = (("client-id", None), ("user", "alice"))
    assert throttle == (2000, KEY, entity, 1200, 1000)
    assert throttle is not None
    assert throttle.facts() == {
        "quota": KEY,
        "user": "alice",
        "client_id": "<default>",
        "rate": 1200.0,
        "limit": 1000,
        "ms": 2000,
    }


def test_the_usage_has_the_mean_of_the_throttle_times() -> None:
    """Of the last windows."""
    metered = MeteredQuota(({"client-id": "a"}, 1000))
    for _ in range(2):
        metered.throttle_ms(ANONYMOUS, "a", 11_000)

    [now] = metered.quota.usage()
    metered.now_ms = 20_000
    [later] = metered.quota.usage()

    assert now == (None, "a", 2200, (1000 + 12_000) / 2, None)
    assert later == (None, "a", 0, 0, None)
