"""The checks that handlers make."""

from __future__ import annotations

import pytest

from broker.api.authorization.check import (
    DESCRIBE_CLUSTER,
    DESCRIBE_TOPIC,
    READ_GROUP,
    WRITE_TOPIC,
)
from broker.api.authorization.checks import (
    is_authorized,
    is_authorized_on_any,
    require,
    unauthorized,
)
from broker.common.errors import ApiError
from broker.security.resource import CLUSTER_NAME, Operation, ResourceType
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.metadata import MetadataRequest
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, request_with

METADATA = MetadataRequest(topics=None)
INIT = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1)
HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
DESCRIBE_T = (Operation.DESCRIBE, ResourceType.TOPIC, "t")


def test_without_an_authorizer_everything_is_allowed() -> None:
    """No name is read from the iterable of names."""
    request = request_with(None, METADATA)

    assert is_authorized(request, DESCRIBE_TOPIC, "t")
    assert is_authorized_on_any(request, DESCRIBE_TOPIC)
    require(request, DESCRIBE_TOPIC, "t")
    assert finish(unauthorized(request, DESCRIBE_TOPIC, iter(["t"]))) == set()


def test_the_authorizer_decides_for_each_resource() -> None:
    """By operation, type and name, and by the session of the request."""
    authorizer = FakeAuthorizer(DESCRIBE_T)
    request = request_with(authorizer, METADATA)

    assert is_authorized(request, DESCRIBE_TOPIC, "t")
    assert not is_authorized(request, DESCRIBE_TOPIC, "u")
    assert authorizer.sessions == {request.session}


def test_a_check_of_the_cluster_needs_no_name() -> None:
    """There is one resource of that type."""
    authorizer = FakeAuthorizer((Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME))

    assert is_authorized(request_with(authorizer, METADATA), DESCRIBE_CLUSTER)


@pytest.mark.parametrize("allowed", [True, False])
def test_an_operation_on_any_resource_of_a_type(allowed: bool) -> None:
    """The authorizer is asked once for all of them."""
    authorizer = FakeAuthorizer(everything=allowed)

    assert is_authorized_on_any(request_with(authorizer, INIT), WRITE_TOPIC) == allowed
    assert authorizer.asked == [(Operation.WRITE, ResourceType.TOPIC, None)]


def test_a_required_operation_refuses_the_request() -> None:
    """With the error of the type of resource."""
    request = request_with(FakeAuthorizer(), HEARTBEAT)

    with pytest.raises(ApiError) as refusal:
        require(request, READ_GROUP, "g")

    assert refusal.value.code is ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_the_audit_log_has_the_request_and_how_often_it_names_a_resource() -> None:
    """A resource that is checked alone counts once, as in Kafka."""
    authorizer = FakeAuthorizer()
    request = request_with(authorizer, METADATA)
    is_authorized(request, DESCRIBE_TOPIC, "s")
    finish(unauthorized(request, DESCRIBE_TOPIC, ["t", "u", "t"]))

    key = request.header.api_key
    assert authorizer.counted == {(key, "s"): 1, (key, "t"): 2, (key, "u"): 1}


def test_each_name_is_checked_once() -> None:
    """In the order of the first occurrences."""
    authorizer = FakeAuthorizer(DESCRIBE_T)
    request = request_with(authorizer, METADATA)

    refused = finish(unauthorized(request, DESCRIBE_TOPIC, ["u", "t", "u", "v"]))

    assert refused == {"u", "v"}
    assert [name for _, _, name in authorizer.asked] == ["u", "t", "v"]


@pytest.mark.parametrize("logged", [True, False])
def test_a_refusal_that_only_filters_is_not_logged(logged: bool) -> None:
    """The authorizer receives the refusals that belong in its audit log."""
    authorizer = FakeAuthorizer()
    request = request_with(authorizer, METADATA)

    finish(unauthorized(request, DESCRIBE_TOPIC, ["t"], is_refusal_logged=logged))

    assert authorizer.logged == ([DESCRIBE_T] if logged else [])


def test_a_check_that_the_table_does_not_have_is_a_bug() -> None:
    """Therefore the table is complete."""
    with pytest.raises(AssertionError, match="the table has no"):
        is_authorized(request_with(FakeAuthorizer(), HEARTBEAT), DESCRIBE_TOPIC, "t")
