"""The permissions that requests about streams groups need."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from broker.security.resource import Operation
from integration.machine.deadlines import eventually
from integration.parity.acls import (
    DENY,
    GROUP,
    TOPIC,
    Acl,
    add,
    each_step,
    new_client,
    on_cluster,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.parity.streams_group import StreamsGroup
from integration.parity.streams_requests import (
    describe_streams,
    streams_join,
    subtopology,
    topology,
)

O = Operation  # noqa: E741 - short, because each line has several


@scenario(on=SECURED)
def permissions_of_streams_members(kafka: Kafka) -> Observations:
    """Joining needs READ on the group and DESCRIBE on the topics; later heartbeats only READ."""
    first, second, absent = kafka.topic(), kafka.topic(), kafka.new_name("absent")
    group = kafka.new_name("group")
    entries = [
        Acl(O.DESCRIBE, GROUP, group),
        Acl(O.READ, GROUP, group),
        Acl(O.DESCRIBE, TOPIC, first),
        Acl(O.DESCRIBE, TOPIC, second),
        Acl(O.DESCRIBE, TOPIC, absent),
    ]
    for sent in (
        topology(subtopology("0", first, second)),
        topology(subtopology("0", first, sinks=[second])),
        topology(subtopology("0", first, sinks=[absent], repartition=[absent])),
        topology(subtopology("0", "a b", second)),
    ):
        yield from each_step(kafka, streams_join(group, "", sent), *entries)


@scenario(on=SECURED)
def permissions_of_streams_heartbeats(kafka: Kafka) -> Observations:
    """A member whose topics are denied after it has joined goes on."""
    topic = kafka.topic()
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    user, client = new_client(kafka)
    add(kafka, user, Acl(O.READ, GROUP, group.id), Acl(O.DESCRIBE, TOPIC, topic))
    a = group.member("a", client=client)
    yield a.join()
    add(kafka, user, Acl(O.DESCRIBE, TOPIC, topic, permission=DENY))
    yield a.beat()
    yield a.leave(), a.join()
    add(kafka, user, Acl(O.READ, GROUP, group.id, permission=DENY))
    yield a.beat(), a.join()


@scenario(on=SECURED)
def permissions_to_describe_streams_groups(kafka: Kafka) -> Observations:
    """Describing needs DESCRIBE on the group and on each of its topics."""
    topic, sink = kafka.topic(), kafka.topic()
    group = StreamsGroup(kafka, topology(subtopology("0", topic, sinks=[sink])))
    group.member("a").join()
    entries = [
        Acl(O.DESCRIBE, GROUP, group.id),
        Acl(O.DESCRIBE, TOPIC, topic),
        Acl(O.DESCRIBE, TOPIC, sink),
        Acl(O.DELETE, GROUP, group.id),
    ]
    absent = kafka.new_name("absent")
    request = describe_streams(absent, group.id, "", operations=True)
    yield from each_step(kafka, request, *entries)


@scenario(on=SECURED)
def permissions_to_create_internal_topics(kafka: Kafka) -> Observations:
    """Internal topics need CREATE on the cluster or on all of them; else none is created."""
    topic = kafka.topic()
    for on_topics in (True, False):
        names = [kafka.new_name("internal") for _ in range(2)]
        sent = topology(subtopology("0", topic, changelogs=names))
        group = StreamsGroup(kafka, sent)
        user, client = new_client(kafka)
        described = [Acl(O.DESCRIBE, TOPIC, each) for each in (topic, *names)]
        add(kafka, user, Acl(O.READ, GROUP, group.id), *described)
        a = group.member("a", client=client)
        yield _words(a.join())
        if on_topics:
            add(kafka, user, Acl(O.CREATE, TOPIC, names[0]))
            yield _words(a.beat())
            add(kafka, user, Acl(O.CREATE, TOPIC, names[1]))
        else:
            add(kafka, user, on_cluster(O.CREATE))
        yield "creates", _words(a.beat())
        for name in names:
            eventually(partial(_exists, kafka, name), f"{name} exists")
        kafka.settle()
        yield a.beat()


def _words(response: Any) -> Any:
    """The response with sorted words in its texts, as hash tables decide the order of topics."""
    for status in response.status:
        status.status_detail = " ".join(sorted(re.findall(r"[\w-]+", status.status_detail)))
    return response


def _exists(kafka: Kafka, topic: str) -> bool:
    return bool(kafka.metadata(topic).error_code == 0)
