"""Access control entries: how they decide about a client."""

from __future__ import annotations

from typing import Any

from broker.security.resource import Operation
from integration.parity.acls import (
    ALLOW,
    DENY,
    LITERAL,
    PREFIXED,
    TOPIC,
    Acl,
    add,
    on_cluster,
    remove_all,
)
from integration.parity.client import Client
from integration.parity.logins import log_in
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.parity.transaction_requests import init_producer_id
from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

_ALL = MetadataRequest(topics=None)


def _rights(client: Client, topic: str) -> list[Any]:
    """What a client may do with a topic: describe, read, write; and the bit field of Metadata."""
    named = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
    )
    known = client.request(named).topics[0]
    read = client.request(fetch(topic, max_wait_ms=0)).responses[0].partitions[0]
    written = client.request(produce(topic, batch("a"))).responses[0].partition_responses[0]
    codes = (known.error_code, read.error_code, written.error_code)
    return [*(ErrorCode(code).name for code in codes), known.topic_authorized_operations]


def _with_each(kafka: Kafka, topic: str, *entries: Acl) -> Observations:
    """The rights of a new user with each entry alone."""
    user = kafka.new_user()
    client = log_in(kafka, user)
    for entry in entries:
        add(kafka, user, entry)
        yield str(entry), _rights(client, topic)
        remove_all(kafka, user)


@scenario(on=SECURED)
def operations_that_imply_describe(kafka: Kafka) -> Observations:
    """Each operation on a topic, allowed alone."""
    topic = kafka.topic()
    entries = [Acl(operation, TOPIC, topic) for operation in Operation if operation > 1]
    yield from _with_each(kafka, topic, *entries)


@scenario(on=SECURED)
def operations_that_are_denied(kafka: Kafka) -> Observations:
    """Each operation on a topic, denied to a user that may do all."""
    topic = kafka.topic()
    user = kafka.new_user()
    client = log_in(kafka, user)
    for operation in Operation:
        if operation > 1:
            denied = Acl(operation, TOPIC, topic, permission=DENY)
            add(kafka, user, Acl(Operation.ALL, TOPIC, topic), denied)
            yield str(denied), _rights(client, topic)
            remove_all(kafka, user)


@scenario(on=SECURED)
def patterns_of_entries(kafka: Kafka) -> Observations:
    """Literal names, the wildcard and prefixes."""
    topic = kafka.topic()
    kafka.formatter.name(topic[:-1], "stem")
    kafka.formatter.name(topic.upper(), "capitals")
    read = Operation.READ
    yield from _with_each(
        kafka,
        topic,
        Acl(read, TOPIC, topic),
        Acl(read, TOPIC, "*"),
        Acl(read, TOPIC, topic[:-1]),
        Acl(read, TOPIC, topic[:-1], PREFIXED),
        Acl(read, TOPIC, topic, PREFIXED),
        Acl(read, TOPIC, f"{topic}x", PREFIXED),
        Acl(read, TOPIC, "*", PREFIXED),
        Acl(read, TOPIC, topic.upper()),
    )


@scenario(on=SECURED)
def denials_win(kafka: Kafka) -> Observations:
    """A denial of any pattern is stronger than a permission of any pattern."""
    topic = kafka.topic()
    user = kafka.new_user()
    client = log_in(kafka, user)
    kafka.formatter.name(topic[:-2], "stem")
    patterns = ((topic, LITERAL), ("*", LITERAL), (topic[:-2], PREFIXED))
    for allowed, allowed_pattern in patterns:
        for denied, denied_pattern in patterns:
            allow = Acl(Operation.ALL, TOPIC, allowed, allowed_pattern)
            deny = Acl(Operation.READ, TOPIC, denied, denied_pattern, DENY)
            add(kafka, user, allow, deny)
            yield str(allow), str(deny), _rights(client, topic)
            remove_all(kafka, user)


@scenario(on=SECURED)
def hosts_of_entries(kafka: Kafka) -> Observations:
    """The host is the client's address as text, or the wildcard."""
    topic = kafka.topic()
    hosts = ("127.0.0.1", "*", "localhost", "127.0.0.0/8", "127.0.0.2", "::1", "")
    entries = [Acl(Operation.READ, TOPIC, topic, host=host) for host in hosts]
    yield from _with_each(kafka, topic, *entries)


@scenario(on=SECURED)
def entries_of_other_principals(kafka: Kafka) -> Observations:
    """Entries of another user, and of the same name in another case, have no effect."""
    topic = kafka.topic()
    user, other = kafka.new_user(), kafka.new_user()
    kafka.formatter.name(user.upper(), "capitals")
    client = log_in(kafka, user)
    for name in (other, user.upper(), f"{user}x", user):
        add(kafka, name, Acl(Operation.ALL, TOPIC, topic))
        yield name, _rights(client, topic)


@scenario(on=SECURED)
def super_users_are_never_denied(kafka: Kafka) -> Observations:
    """Entries do not restrict super users."""
    topic = kafka.topic()
    client = log_in(kafka, "admin")
    add(kafka, "admin", Acl(Operation.ALL, TOPIC, topic, permission=DENY))
    yield _rights(client, topic)
    remove_all(kafka, "admin")


@scenario(on=SECURED)
def listed_topics(kafka: Kafka) -> Observations:
    """A list of all topics has those that the client may describe."""
    visible, hidden = kafka.topic(), kafka.topic()
    user = kafka.new_user()
    client = log_in(kafka, user)
    for version in (0, 1, 12, 13):
        everything = MetadataRequest(topics=[] if version == 0 else None)
        yield version, [each.name for each in client.request(everything, version).topics]
    add(kafka, user, Acl(Operation.DESCRIBE, TOPIC, visible))
    for version in (0, 1, 12, 13):
        everything = MetadataRequest(topics=[] if version == 0 else None)
        yield version, [each.name for each in client.request(everything, version).topics]
    add(kafka, user, Acl(Operation.DESCRIBE, TOPIC, hidden, permission=DENY))
    yield [each.name for each in client.request(_ALL).topics]


@scenario(on=SECURED)
def writes_on_any_topic(kafka: Kafka) -> Observations:
    """InitProducerId without a transactional id needs WRITE on at least one topic."""
    user = kafka.new_user()
    client = log_in(kafka, user)
    write = Operation.WRITE
    zz = Acl(write, TOPIC, "zz")
    prefix = Acl(write, TOPIC, "zz", PREFIXED)
    everything = Acl(write, TOPIC, "*")

    def denied(acl: Acl) -> Acl:
        return acl._replace(permission=DENY)

    for entries in (
        [],
        [on_cluster(Operation.IDEMPOTENT_WRITE)],
        [zz],
        [prefix],
        [everything],
        [Acl(Operation.READ, TOPIC, "zz")],
        [Acl(Operation.ALL, TOPIC, "zz")],
        [zz, denied(zz)],
        [zz, denied(Acl(write, TOPIC, "z", PREFIXED))],
        [prefix, denied(zz)],
        [prefix, denied(prefix)],
        [everything, denied(prefix)],
        [everything, denied(everything)],
        [zz, denied(Acl(Operation.ALL, TOPIC, "*"))],
        [zz._replace(host="10.0.0.1")],
    ):
        if entries:
            add(kafka, user, *entries)
        response = client.request(init_producer_id(None))
        yield [str(each) for each in entries], ErrorCode(response.error_code).name
        remove_all(kafka, user)


@scenario(on=SECURED)
def permissions_end_at_once(kafka: Kafka) -> Observations:
    """A deleted permission is no longer valid on connections that used it."""
    topic = kafka.topic()
    user = kafka.new_user()
    client = log_in(kafka, user)
    add(kafka, user, Acl(Operation.ALL, TOPIC, topic, permission=ALLOW))
    yield _rights(client, topic)
    remove_all(kafka, user)
    yield _rights(client, topic)
