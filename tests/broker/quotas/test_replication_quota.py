"""The limit of the replication of throttled replicas."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.config.dynamic_only_keys import FOLLOWER_RATE, LEADER_RATE
from broker.quotas.replication_quota import ReplicationQuota

NODE = 2


class Quota:
    """That of node 2 as a leader, at a time that a test sets."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.config = Config()
        self.quota = ReplicationQuota(NODE, self.config, lambda: self.now_ms, LEADER_RATE)


def test_without_a_rate_it_is_never_exceeded() -> None:
    """That of followers is another one."""
    given = Quota()
    given.config.reconfigure({FOLLOWER_RATE: "1"}, {})

    given.quota.record(10**9)

    assert given.quota.bytes_per_second is None
    assert not given.quota.is_exceeded


def test_the_rate_of_the_node_precedes_that_of_all_nodes() -> None:
    """As with all keys that change while a broker runs."""
    given = Quota()

    given.config.reconfigure({}, {LEADER_RATE: "20"})
    of_all = given.quota.bytes_per_second
    given.config.reconfigure({LEADER_RATE: "10"}, {LEADER_RATE: "20"})

    assert (of_all, given.quota.bytes_per_second) == (20, 10)


def test_it_is_exceeded_until_the_mean_is_within_the_rate() -> None:
    """A rate that is reached is not exceeded."""
    given = Quota()
    given.config.reconfigure({LEADER_RATE: "100"}, {})
    given.quota.record(300)

    exceeded = []
    for given.now_ms in (0, 2999, 3000):
        exceeded.append(given.quota.is_exceeded)

    assert exceeded == [True, True, False]


def test_a_rate_of_zero_allows_nothing_for_all_windows() -> None:
    """Until the samples are removed."""
    given = Quota()
    given.config.reconfigure({LEADER_RATE: "0"}, {})
    given.quota.record(1)

    exceeded = []
    for given.now_ms in (0, 10_999, 11_000):
        exceeded.append(given.quota.is_exceeded)

    assert exceeded == [True, True, False]


@pytest.mark.parametrize(
    ("replicas", "partitions"),
    [
        ((), set()),
        (("*",), {0, 1, 2}),
        (("0:2", "1:3", "2:1"), {0}),
        (("", "1:2", "2:2"), {1, 2}),
        (("01:02",), {1}),
    ],
)
def test_a_topic_lists_the_throttled_replicas_by_partition_and_node(
    replicas: tuple[str, ...], partitions: set[int]
) -> None:
    """``*`` is all of them; entries may be empty."""
    quota = Quota().quota

    assert {each for each in range(3) if quota.applies_to(replicas, each)} == partitions
