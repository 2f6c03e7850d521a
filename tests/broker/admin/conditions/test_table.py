"""The parameters of /v1/wait."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.groups import GroupStable
from broker.admin.conditions.parked import Parked
from broker.admin.conditions.partitions import HighWatermark, InSync
from broker.admin.conditions.table import read_condition
from broker.admin.facts import RequestQuery
from broker.admin.http import HttpError
from broker.admin.query import Query


def query(text: str) -> Query:
    """The parameters in a query string."""
    return Query(parse_qsl(text))


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
def test_a_condition_is_selected_by_its_name(text: str, condition: Condition) -> None:
    """Each condition has its own parameters."""
    assert read_condition(query(text)) == condition


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "for: give one of parked, hw, isr, group_stable"),
        ("for=rain", "for: 'rain' is not one of parked, hw, isr, group_stable"),
        ("for=hw&count=1", "no parameter is named 'count'; there are for, topic, partition,"),
        ("for=hw&partition=1", "partition: give the topic as well"),
        ("for=group_stable", "group: give the group to wait for"),
        ("for=parked&count=0", "count: '0' is not a whole number from 1 to 10000"),
        ("for=parked&api=Prodcue", "api: 'Prodcue' is not one of "),
    ],
)
def test_an_invalid_condition_is_refused(text: str, line: str) -> None:
    """The message has the valid values."""
    with pytest.raises(HttpError) as caught:
        read_condition(query(text))

    assert caught.value.status == 400
    assert caught.value.message.startswith(line)
