"""What a query asks for."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from broker.admin.asked import API_NAMES, read_condition, read_requests
from broker.admin.conditions import Condition, GroupStable, HighWatermark, InSync, Parked
from broker.admin.facts import RequestQuery
from broker.admin.http import HttpError
from broker.admin.query import Query


def query(text: str) -> Query:
    return Query(parse_qsl(text))


def test_requests_are_asked_for_by_what_they_are() -> None:
    """Without a word: the latest answered, of any kind."""
    assert read_requests(query("")) == RequestQuery()
    assert read_requests(
        query("parked=1&api=Produce&topic=t&client=c&followers=1&limit=5&correlation=7")
    ) == RequestQuery(True, "Produce", "t", "c", True, 5, 7)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("for=parked", Parked(RequestQuery(parked=True, limit=1))),
        (
            "for=parked&api=Fetch&topic=t&client=c&followers=1&count=2&timeout_ms=1",
            Parked(RequestQuery(True, "Fetch", "t", "c", True, 2)),
        ),
        ("for=hw", HighWatermark(None, None)),
        ("for=hw&topic=t&partition=0", HighWatermark("t", 0)),
        ("for=isr&topic=t", InSync("t", None, None)),
        ("for=isr&topic=t&partition=1&count=0", InSync("t", 1, 0)),
        ("for=group_stable&group=g", GroupStable("g", 1)),
        ("for=group_stable&group=g&count=2", GroupStable("g", 2)),
    ],
)
def test_a_condition_is_asked_for_by_its_name(text: str, condition: Condition) -> None:
    """Each has parameters of its own."""
    assert read_condition(query(text)) == condition


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "for: give one of parked, hw, isr, group_stable"),
        ("for=rain", "for: 'rain' is not one of parked, hw, isr, group_stable"),
        ("for=hw&count=1", "no parameter is named 'count'; there are for, topic, partition,"),
        ("for=hw&partition=1", "partition: name its topic, too"),
        ("for=group_stable", "group: name the group to wait for"),
        ("for=parked&count=0", "count: '0' is not a whole number from 1 to 10000"),
        ("for=parked&api=Prodcue", "api: 'Prodcue' is not one of "),
    ],
)
def test_what_cannot_be_waited_for_is_refused(text: str, line: str) -> None:
    """With a line that says what there is."""
    with pytest.raises(HttpError) as caught:
        read_condition(query(text))

    assert caught.value.status == 400
    assert caught.value.message.startswith(line)


def test_apis_have_the_names_of_kafka() -> None:
    """Those this broker serves."""
    assert {"Produce", "Fetch", "JoinGroup", "SyncGroup"} <= set(API_NAMES)
