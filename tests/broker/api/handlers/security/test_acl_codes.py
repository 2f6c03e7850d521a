"""The codes in requests about ACLs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from broker.api.handlers.security.acl_codes import code_of, filter_of, require_authorizer
from broker.common.errors import ApiError, Refused
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from protocol.errors import ErrorCode
from tests.broker.api.handlers.security.acl_requests import deletion


def test_a_code_of_no_version_is_unknown() -> None:
    """Also a negative one."""
    assert code_of(ResourceType, 7) is ResourceType.USER
    assert code_of(ResourceType, 8) is ResourceType.UNKNOWN
    assert code_of(Operation, -1) is Operation.UNKNOWN


@pytest.mark.parametrize("kind", [ResourceType, PatternType, Operation, Permission])
def test_the_code_0_closes_the_connection(kind: Any) -> None:
    """Kafka's request classes refuse it."""
    with pytest.raises(Refused, match=f"{kind.__name__} 0 in a request about ACLs"):
        code_of(kind, 0)


def test_a_filter_has_the_values_of_the_request() -> None:
    """None and ANY match everything."""
    found = filter_of(deletion("t", resource_type=2))

    assert (found.resource_type, found.name, found.principal) == (ResourceType.TOPIC, "t", None)
    assert (found.operation, found.permission) == (Operation.ANY, Permission.ANY)


def test_a_node_without_authorizer_refuses() -> None:
    """The message depends on the API."""
    request = cast("Any", SimpleNamespace(services=SimpleNamespace(authorizer=None)))

    with pytest.raises(ApiError, match="why") as refusal:
        require_authorizer(request, "why")

    assert refusal.value.code is ErrorCode.SECURITY_DISABLED
