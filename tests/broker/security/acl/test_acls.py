"""The index of ACLs."""

from __future__ import annotations

import uuid

from broker.security.acl.acls import Acls
from broker.security.acl.binding import AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType

TOPIC = ResourceType.TOPIC


def acl(pattern_type: PatternType, name: str, principal: str = "User:a") -> AclBinding:
    """An ACL for topics."""
    return AclBinding(TOPIC, pattern_type, name, principal, "*", Operation.READ, Permission.ALLOW)


def test_the_patterns_of_a_resource_are_the_most_specific_first() -> None:
    """The literal name, its prefixes from the longest on, and all resources."""
    bindings = [
        acl(PatternType.PREFIXED, "a"),
        acl(PatternType.LITERAL, "*"),
        acl(PatternType.PREFIXED, "ab"),
        acl(PatternType.LITERAL, "ab"),
        acl(PatternType.PREFIXED, "b"),
    ]
    acls = Acls()
    acls.add({uuid.uuid4(): each for each in bindings})

    found = [each["User:a"] for each in acls.of_resource(TOPIC, "ab")]

    assert found == [[bindings[3]], [bindings[2]], [bindings[0]], [bindings[1]]]


def test_a_removed_acl_is_not_found() -> None:
    """Nor is its pattern, when it was the last one."""
    first, second = acl(PatternType.PREFIXED, "a"), acl(PatternType.PREFIXED, "a", "User:b")
    ids = {uuid.uuid4(): first, uuid.uuid4(): second}
    acls = Acls()
    acls.add(ids)

    acls.remove([acls.id_of(first)])
    assert acls.of_resource(TOPIC, "abc") == [{"User:b": [second]}]
    assert first not in acls

    acls.remove([acls.id_of(second)])
    assert not acls.of_resource(TOPIC, "abc")
    assert not list(acls)


def test_the_acls_of_principals_have_the_type() -> None:
    """Literal and prefixed ones."""
    bindings = [acl(PatternType.LITERAL, "x"), acl(PatternType.PREFIXED, "x")]
    acls = Acls()
    acls.add({uuid.uuid4(): each for each in [*bindings, acl(PatternType.LITERAL, "x", "User:b")]})

    assert list(acls.of_principals(TOPIC, ["User:a"])) == bindings
    assert not list(acls.of_principals(ResourceType.GROUP, ["User:a"]))
