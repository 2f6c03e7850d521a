"""Waiting for the records of a share group."""

from __future__ import annotations

import pytest

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.share_groups import read_share_acquired, read_share_lag
from broker.admin.http import HttpError
from broker.admin.query import Query
from tests.client_facts import share_partition
from tests.facts import FakeFacts


def acquired(**given: object) -> Condition:
    """The condition that records are acquired."""
    return read_share_acquired(Query([(name, str(value)) for name, value in given.items()]))


def lag(**given: object) -> Condition:
    """The condition that records are complete."""
    return read_share_lag(Query([(name, str(value)) for name, value in given.items()]))


def facts(*share_partitions: dict[str, object]) -> FakeFacts:
    """A broker with these share partitions."""
    found = FakeFacts()
    found.known_share_partitions = list(share_partitions)
    return found


def test_acquired_records_of_all_partitions_are_added_up() -> None:
    """What each partition has is reported."""
    known = facts(share_partition(0, acquired=3), share_partition(1, acquired=2))

    assert acquired(group="workers", count=5).check(known)[1] == []
    condition = acquired(group="workers", count=6)
    assert condition.check(known)[1] == [
        "5 of 6 records are acquired by members of group workers",
    ]
    assert condition.alternatives(known) == [
        "orders-0: start offset 0, high watermark 10, 3 acquired, 0 available",
        "orders-1: start offset 0, high watermark 10, 2 acquired, 0 available",
    ]


def test_the_acquired_records_of_one_partition() -> None:
    """The finding has its share partition, without batches."""
    known = facts(share_partition(0, acquired=3), share_partition(1))
    finding, missing = acquired(group="workers", topic="orders", partition=0).check(known)

    assert (missing, [each["partition"] for each in finding["share_partitions"]]) == ([], [0])
    assert finding["share_partitions"][0]["batches"] == []


def test_the_lag_of_each_partition_is_compared() -> None:
    """The default is 0; a lag may be unknown."""
    known = facts(
        share_partition(0, lag=0), share_partition(1, lag=4), share_partition(2, lag=None)
    )

    assert lag(group="workers").check(known)[1] == [
        (
            "lag of workers in orders-1 is 4: start offset 0, high watermark 10, 0 acquired, "
            "0 available"
        ),
        "the lag of workers in orders-2 is not known",
    ]
    assert lag(group="workers", lag=4, topic="orders", partition=1).check(known)[1] == []


def test_a_start_offset_may_be_unknown() -> None:
    """The state of the share partition is reported."""
    known = facts(share_partition(0, state="loading", start_offset=None))

    assert acquired(group="workers").alternatives(known) == [
        "orders-0: loading, without a start offset"
    ]


@pytest.mark.parametrize(
    ("where", "named"),
    [({}, ""), ({"topic": "u"}, " in u"), ({"topic": "u", "partition": 3}, " in u-3")],
)
def test_a_group_without_share_partitions(where: dict[str, object], named: str) -> None:
    """Those of other groups are reported."""
    known = facts(share_partition(0))
    for condition in (acquired(group="other", **where), lag(group="other", **where)):
        assert condition.check(known)[1] == [f"group other has no share partition{named}"]
        assert condition.alternatives(known) == ["orders-0 of group workers"]


def test_a_partition_needs_a_topic_and_a_group_is_required() -> None:
    """Both are refused."""
    with pytest.raises(HttpError, match="give the topic"):
        acquired(group="g", partition=0)
    with pytest.raises(HttpError, match="give the group"):
        lag()
