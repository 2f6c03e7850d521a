"""Filters of ACLs."""

from __future__ import annotations

import pytest

from broker.security.acl.binding import AclBinding
from broker.security.acl.filter import AclFilter
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import finish

ANY = AclFilter(ResourceType.ANY, PatternType.ANY, None, None, None, Operation.ANY, Permission.ANY)
ACL = AclBinding(
    ResourceType.TOPIC,
    PatternType.LITERAL,
    "orders",
    "User:a",
    "10.0.0.1",
    Operation.READ,
    Permission.ALLOW,
)


@pytest.mark.parametrize(
    ("changes", "is_selected"),
    [
        ({}, True),
        ({"resource_type": ResourceType.TOPIC}, True),
        ({"resource_type": ResourceType.GROUP}, False),
        ({"resource_type": ResourceType.UNKNOWN}, False),
        ({"name": "orders"}, True),
        ({"name": "order"}, False),
        ({"name": ""}, False),
        ({"pattern_type": PatternType.LITERAL}, True),
        ({"pattern_type": PatternType.PREFIXED}, False),
        ({"pattern_type": PatternType.MATCH}, True),
        ({"principal": "User:a"}, True),
        ({"principal": "User:*"}, False),
        ({"host": "10.0.0.1"}, True),
        ({"host": "*"}, False),
        ({"operation": Operation.READ}, True),
        ({"operation": Operation.ALL}, False),
        ({"permission": Permission.ALLOW}, True),
        ({"permission": Permission.DENY}, False),
        ({"permission": Permission.UNKNOWN}, False),
    ],
)
def test_an_acl_is_selected_if_all_its_values_match(
    changes: dict[str, object], is_selected: bool
) -> None:
    """ANY and None match every value, ALL and the wildcard only themselves."""
    selected = finish(ANY._replace(**changes).select([ACL]))  # type: ignore[arg-type]  # of any field

    assert selected == ([ACL] if is_selected else [])


@pytest.mark.parametrize(
    ("pattern_type", "name", "is_selected"),
    [
        (PatternType.LITERAL, "orders", True),
        (PatternType.LITERAL, "*", True),
        (PatternType.LITERAL, "order", False),
        (PatternType.PREFIXED, "ord", True),
        (PatternType.PREFIXED, "orders", True),
        (PatternType.PREFIXED, "ordersX", False),
        (PatternType.PREFIXED, "*", False),
    ],
)
def test_match_selects_the_patterns_that_include_a_name(
    pattern_type: PatternType, name: str, is_selected: bool
) -> None:
    """The literal name, all resources, and prefixes of the name."""
    acl_filter = ANY._replace(pattern_type=PatternType.MATCH, name="orders")

    assert acl_filter.matches(ACL._replace(pattern_type=pattern_type, name=name)) is is_selected


def test_unknown_values_of_pattern_and_entry_are_told_apart() -> None:
    """DeleteAcls refuses them with different messages."""
    assert not ANY.has_unknown_pattern
    assert not ANY.has_unknown_entry
    assert ANY._replace(resource_type=ResourceType.UNKNOWN).has_unknown_pattern
    assert ANY._replace(pattern_type=PatternType.UNKNOWN).has_unknown_pattern
    assert ANY._replace(operation=Operation.UNKNOWN).has_unknown_entry
    assert ANY._replace(permission=Permission.UNKNOWN).has_unknown_entry
