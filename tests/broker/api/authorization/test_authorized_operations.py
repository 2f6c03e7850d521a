"""The bit fields of authorized operations."""

from __future__ import annotations

import pytest

from broker.api.authorization.authorized_operations import ALL_OPERATIONS, authorized_operations
from broker.security.resource import Operation, ResourceType
from protocol.messages.metadata import MetadataRequest
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, request_with


@pytest.mark.parametrize(
    ("resource_type", "bits"),
    [(ResourceType.TOPIC, 3576), (ResourceType.GROUP, 3400), (ResourceType.CLUSTER, 8096)],
)
def test_without_an_authorizer_all_bits_of_the_type_are_set(
    resource_type: ResourceType, bits: int
) -> None:
    """The numbers are those that a Kafka without an authorizer returns."""
    request = request_with(None, MetadataRequest(topics=None))

    assert ALL_OPERATIONS[resource_type] == bits
    assert authorized_operations(request, resource_type, "any") == bits


def test_the_bits_are_those_of_the_authorized_operations() -> None:
    """The number of a bit is the code of the operation."""
    authorizer = FakeAuthorizer(
        (Operation.READ, ResourceType.TOPIC, "t"), (Operation.DESCRIBE, ResourceType.TOPIC, "t")
    )
    request = request_with(authorizer, MetadataRequest(topics=None))

    assert authorized_operations(request, ResourceType.TOPIC, "t") == 1 << 3 | 1 << 8
    assert authorized_operations(request, ResourceType.TOPIC, "u") == 0
