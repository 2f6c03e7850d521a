"""The permissions that requests about groups and their offsets need."""

from __future__ import annotations

from collections.abc import Sequence

from broker.security.resource import Operation
from integration.parity import group_requests as groups
from integration.parity.acls import (
    DENY,
    GROUP,
    TOPIC,
    Acl,
    add,
    each_step,
    new_client,
    on_cluster,
    remove_all,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest

O = Operation  # noqa: E741 - short, because each line has several


@scenario(on=SECURED)
def permissions_of_group_members(kafka: Kafka) -> Observations:
    """Classic members need READ on the group; describing needs DESCRIBE."""
    group = kafka.new_name("group")
    read, describe = Acl(O.READ, GROUP, group), Acl(O.DESCRIBE, GROUP, group)
    yield from each_step(kafka, groups.heartbeat(group, "absent", 1), describe, read)
    yield from each_step(kafka, groups.leave(group, "absent"), describe, read)
    yield from each_step(kafka, groups.sync(group, "absent", 1), describe, read)
    yield from each_step(kafka, groups.find_coordinator(group), describe)
    described = DescribeGroupsRequest(groups=[group], include_authorized_operations=True)
    yield from each_step(kafka, described, describe, read, Acl(O.ALL, GROUP, group))


@scenario(on=SECURED)
def permissions_of_offsets(kafka: Kafka) -> Observations:
    """Committing needs READ on group and topic, reading DESCRIBE on both."""
    topic, group = kafka.topic(), kafka.new_name("group")
    entries = [Acl(O.READ, TOPIC, topic), Acl(O.DESCRIBE, GROUP, group), Acl(O.READ, GROUP, group)]
    yield from each_step(kafka, groups.commit(group, topic, {0: 3}), *entries)
    yield from each_step(kafka, groups.commit(group, topic, {0: 3}), *reversed(entries))
    entries = [Acl(O.DESCRIBE, TOPIC, topic), Acl(O.DESCRIBE, GROUP, group)]
    for topics in ({topic: [0]}, None):
        yield from each_step(kafka, groups.committed(group, topics), *entries)
        yield from each_step(kafka, groups.committed(group, topics), *reversed(entries))


@scenario(on=SECURED)
def permissions_of_listed_groups(kafka: Kafka) -> Observations:
    """ListGroups has the groups that the client may describe, or all of them."""
    topic = kafka.topic()
    first, second = kafka.new_name("group"), kafka.new_name("group")
    for group in (first, second):
        kafka.request(groups.commit(group, topic, {0: 3}))
    user, client = new_client(kafka)

    def listed() -> Sequence[str]:
        response = client.request(ListGroupsRequest())
        assert response.error_code == 0
        return sorted(each.group_id for each in response.groups if each.group_id in (first, second))

    yield listed()
    add(kafka, user, Acl(O.READ, GROUP, first))
    yield listed()
    add(kafka, user, on_cluster(O.DESCRIBE), Acl(O.ALL, GROUP, second, permission=DENY))
    yield listed()


@scenario(on=SECURED)
def permissions_to_delete_groups(kafka: Kafka) -> Observations:
    """DeleteGroups needs DELETE on each group."""
    topic, group, other = kafka.topic(), kafka.new_name("group"), kafka.new_name("group")
    kafka.request(groups.commit(group, topic, {0: 3}))
    request = DeleteGroupsRequest(groups_names=[other, group])
    user, client = new_client(kafka)
    for entry in (None, Acl(O.DELETE, GROUP, group)):
        if entry is not None:
            add(kafka, user, entry)
        response = client.request(request)
        response.results.sort(key=lambda each: each.group_id)
        yield response


@scenario(on=SECURED)
def permissions_of_consumer_groups(kafka: Kafka) -> Observations:
    """Members of the new protocol need READ on the group and DESCRIBE on the subscribed topics."""
    topic, hidden = kafka.topic(), kafka.topic()
    group = kafka.new_name("group")
    member = "AAAAAAAAAAAAAAAAAAAAAQ"
    joined = groups.consumer_heartbeat(group, member, 0, topics=[topic, hidden], owned={})
    user, client = new_client(kafka)
    yield client.request(joined)
    add(kafka, user, Acl(O.READ, GROUP, group))
    yield client.request(joined)
    add(kafka, user, Acl(O.DESCRIBE, TOPIC, topic))
    yield client.request(joined)
    described = ConsumerGroupDescribeRequest(group_ids=[group])
    add(kafka, user, Acl(O.DESCRIBE, TOPIC, hidden))
    response = client.request(joined)
    yield response.error_code, response.member_epoch
    yield client.request(described).groups[0].error_code
    remove_all(kafka, user)
    yield client.request(described)
    add(kafka, user, Acl(O.DESCRIBE, GROUP, group))
    yield client.request(described)
