"""The parameters of /v1/wait."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from broker.admin.conditions.clients import ClientConnected, ClientGone
from broker.admin.conditions.committed import Committed
from broker.admin.conditions.condition import Condition
from broker.admin.conditions.groups import Assigned, GroupStable
from broker.admin.conditions.parked import Parked
from broker.admin.conditions.partitions import HighWatermark, InSync, StableOffset
from broker.admin.conditions.requests import Requests
from broker.admin.conditions.table import read_condition
from broker.admin.conditions.topics import TopicDeleted, TopicKnown
from broker.admin.facts.facts import RequestQuery
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
        ("for=requests", Requests(None, None, None, 1)),
        (
            "for=requests&api=fetch&client=c&since=mark-1&count=3",
            Requests("Fetch", "c", "mark-1", 3),
        ),
        ("for=lso&topic=t", StableOffset("t", None, None)),
        ("for=lso&topic=t&partition=1&offset=0", StableOffset("t", 1, 0)),
        ("for=topic&topic=t", TopicKnown("t", 1)),
        ("for=topic&topic=t&partitions=3", TopicKnown("t", 3)),
        ("for=topic_deleted&topic=t", TopicDeleted("t")),
        ("for=assigned&group=g", Assigned(GroupStable("g", 1), 1, None)),
        (
            "for=assigned&group=g&members=2&partitions=0&topic=t",
            Assigned(GroupStable("g", 2), 0, "t"),
        ),
        ("for=committed&group=g", Committed("g", None, None, None, 0)),
        ("for=committed&group=g&offset=5", Committed("g", None, None, 5, None)),
        (
            "for=committed&group=g&topic=t&partition=0&lag=1&offset=2",
            Committed("g", "t", 0, 2, 1),
        ),
        ("for=client_connected&client=c", ClientConnected("c", 1)),
        ("for=client_gone&client=c", ClientGone("c")),
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
        ("", "for: give one of parked, requests, hw, lso, isr, topic, topic_deleted, group_"),
        ("for=rain", "for: 'rain' is not one of parked, requests, hw, lso, isr, topic,"),
        ("for=assigned", "group: give the group to wait for"),
        ("for=assigned&group=g&count=1", "no parameter is named 'count'; there are for, group, "),
        ("for=committed&topic=t", "group: give the group to wait for"),
        ("for=committed&group=g&partition=1", "partition: give the topic as well"),
        ("for=committed&group=g&lag=-1", "lag: '-1' is not a whole number from 0 to"),
        ("for=lso&offset=x", "offset: 'x' is not a whole number from 0 to"),
        ("for=topic", "topic: give the topic to wait for"),
        ("for=topic_deleted", "topic: give the topic to wait for"),
        ("for=client_connected", "client: give the client id to wait for"),
        ("for=client_gone&count=1", "no parameter is named 'count'; there are for, client,"),
        ("for=requests&api=Fech", "api: 'Fech' is unknown; did you mean Fetch?"),
        ("for=hw&count=1", "no parameter is named 'count'; there are for, topic, partition,"),
        ("for=hw&partition=1", "partition: give the topic as well"),
        ("for=group_stable", "group: give the group to wait for"),
        ("for=parked&count=0", "count: '0' is not a whole number from 1 to 10000"),
        ("for=parked&api=Prodcue", "api: 'Prodcue' is unknown; did you mean Produce?"),
    ],
)
def test_an_invalid_condition_is_refused(text: str, line: str) -> None:
    """The message has the valid values."""
    with pytest.raises(HttpError) as caught:
        read_condition(query(text))

    assert caught.value.status == 400
    assert caught.value.message.startswith(line)
