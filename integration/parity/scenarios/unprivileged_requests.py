"""A user without permissions: each API in each version, and what the user does not change."""

from __future__ import annotations

from typing import Any

from integration.parity.acls import acl_filter, described
from integration.parity.client import Closed
from integration.parity.every_api import Names, every_request
from integration.parity.group_requests import commit, committed
from integration.parity.logins import log_in
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsResponse
from protocol.messages.create_delegation_token import CreateDelegationTokenResponse
from protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)


def _names(kafka: Kafka) -> Names:
    """A topic with a record, and a group with a committed offset."""
    topic, group = kafka.topic(), kafka.new_name("group")
    kafka.request(produce(topic, batch("secret")))
    kafka.request(commit(group, topic, {0: 1}))
    topic_id = kafka.metadata(topic).topic_id
    transactional_id, new = kafka.new_name("transaction"), kafka.new_name("new")
    others = (kafka.new_name(kind) for kind in ("share group", "streams group"))
    return Names(topic, topic_id, group, transactional_id, kafka.new_user(), new, *others)


def _in_each_version(kafka: Kafka, user: str, requests: list[Any]) -> Observations:
    client = log_in(kafka, user)
    for request in requests:
        name = type(request).__name__.removesuffix("Request")
        for version in request.__spec__.versions:
            try:
                yield name, version, _comparable(client.request(request, version))
            except Closed:
                yield name, version, "closed"
                client = log_in(kafka, user)


def _comparable(response: Any) -> Any:
    """The response, or its error if the rest differs from run to run or by the served APIs."""
    if isinstance(response, ApiVersionsResponse | CreateDelegationTokenResponse):
        return ErrorCode(response.error_code)
    return response


def _state(kafka: Kafka, names: Names) -> Observations:
    """What the requests would have changed."""
    yield kafka.metadata(names.topic)
    yield kafka.request(fetch(names.topic, max_wait_ms=0))
    yield kafka.request(committed(names.group, {names.topic: [0]}))
    yield kafka.metadata(names.new).error_code
    yield described(kafka.request(acl_filter(f"User:{names.user}")))
    users = [UserName(name=names.user)]
    yield kafka.request(DescribeUserScramCredentialsRequest(users=users))


def _unprivileged(kafka: Kafka, area: str) -> Observations:
    names = _names(kafka)
    yield from _in_each_version(kafka, names.user, every_request(names)[area])
    yield from _state(kafka, names)


@scenario(on=SECURED)
def unprivileged_requests_about_records(kafka: Kafka) -> Observations:
    """Produce, Fetch and other requests about records."""
    yield from _unprivileged(kafka, "records")


@scenario(on=SECURED)
def unprivileged_requests_about_topics(kafka: Kafka) -> Observations:
    """Metadata, and requests that create, change and delete topics."""
    yield from _unprivileged(kafka, "topics")


@scenario(on=SECURED)
def unprivileged_requests_about_settings(kafka: Kafka) -> Observations:
    """Configurations of topics, brokers and groups."""
    yield from _unprivileged(kafka, "settings")


@scenario(on=SECURED)
def unprivileged_requests_about_groups(kafka: Kafka) -> Observations:
    """Requests of members, offsets, and the administration of groups."""
    yield from _unprivileged(kafka, "groups")


@scenario(on=SECURED)
def unprivileged_requests_about_transactions(kafka: Kafka) -> Observations:
    """Requests of transactional producers, and the administration of transactions."""
    yield from _unprivileged(kafka, "transactions")


@scenario(on=SECURED)
def unprivileged_requests_about_share_groups(kafka: Kafka) -> Observations:
    """Requests of members, stored offsets, and the share coordinator."""
    yield from _unprivileged(kafka, "share groups")


@scenario(on=SECURED)
def unprivileged_requests_about_streams_groups(kafka: Kafka) -> Observations:
    """Requests of members, and descriptions."""
    yield from _unprivileged(kafka, "streams groups")


@scenario(on=SECURED)
def unprivileged_requests_about_the_cluster(kafka: Kafka) -> Observations:
    """Log directories, features, quotas and the quorum."""
    yield from _unprivileged(kafka, "cluster")


@scenario(on=SECURED)
def unprivileged_requests_about_security(kafka: Kafka) -> Observations:
    """Access control entries and SCRAM credentials."""
    yield from _unprivileged(kafka, "security")
