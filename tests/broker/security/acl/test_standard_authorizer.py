"""Decisions of the standard authorizer."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.config import parse_config
from broker.security.acl.acls import Acls
from broker.security.acl.binding import AclBinding
from broker.security.acl.standard_authorizer import StandardAuthorizer, configured_authorizer
from broker.security.principal import user
from broker.security.resource import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from broker.security.session import Session
from tests.broker.security.acl.naive_authorizer import may

TOPIC = ResourceType.TOPIC
ALLOW, DENY = Permission.ALLOW, Permission.DENY
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
ALICE = Session(principal=user("alice"), host="10.0.0.1")


def acl(
    permission: Permission,
    operation: Operation,
    name: str = "t",
    *,
    pattern_type: PatternType = LITERAL,
    principal: str = "User:alice",
    host: str = "*",
    resource_type: ResourceType = TOPIC,
) -> AclBinding:
    """An ACL, of alice for the topic t unless given."""
    return AclBinding(resource_type, pattern_type, name, principal, host, operation, permission)


def authorizer(
    acls: Collection[AclBinding], super_users: Sequence[str] = (), *, default: bool = False
) -> StandardAuthorizer:
    """An authorizer with these ACLs."""
    known = Acls()
    known.add({uuid.uuid4(): each for each in dict.fromkeys(acls)})
    return StandardAuthorizer(known, super_users, allow_everyone_if_no_acl_found=default)


def decides(
    acls: Collection[AclBinding],
    operation: Operation = Operation.READ,
    name: str = "t",
    session: Session = ALICE,
) -> bool:
    """Whether the client may do the operation on the topic."""
    return authorizer(acls).authorize(session, operation, TOPIC, name)


def test_without_acls_everything_is_denied() -> None:
    """`allow.everyone.if.no.acl.found` is false."""
    assert not decides([])


def test_a_resource_that_no_acl_names_is_allowed_if_so_configured() -> None:
    """An ACL of another principal or of another operation, also a denial, names it."""
    allows = authorizer([acl(DENY, Operation.ALTER, principal="User:bob")], default=True)

    assert not allows.authorize(ALICE, Operation.READ, TOPIC, "t")
    assert allows.authorize(ALICE, Operation.READ, TOPIC, "u")


def test_a_super_user_is_allowed_what_is_denied_to_all() -> None:
    """The names are compared exactly."""
    denial = acl(DENY, Operation.ALL, "*", principal="User:*")
    allows = authorizer([denial], ["User:alice"])

    assert allows.authorize(ALICE, Operation.READ, TOPIC, "t")
    assert not allows.authorize(Session(user("Alice")), Operation.READ, TOPIC, "t")


@pytest.mark.parametrize(
    ("pattern_type", "pattern", "is_allowed"),
    [
        (LITERAL, "t", True),
        (LITERAL, "*", True),
        (LITERAL, "tt", False),
        (PREFIXED, "t", True),
        (PREFIXED, "", True),
        (PREFIXED, "tt", False),
        (PREFIXED, "*", False),
    ],
)
def test_a_pattern_names_resources(
    pattern_type: PatternType, pattern: str, is_allowed: bool
) -> None:
    """A prefixed asterisk means names that begin with an asterisk."""
    assert decides([acl(ALLOW, Operation.READ, pattern, pattern_type=pattern_type)]) is is_allowed


@pytest.mark.parametrize(
    ("principal", "is_allowed"),
    [("User:alice", True), ("User:*", True), ("User:Alice", False), ("Group:alice", False)],
)
def test_an_acl_is_for_its_principal_or_all_users(principal: str, is_allowed: bool) -> None:
    """Types and names are compared exactly."""
    assert decides([acl(ALLOW, Operation.READ, principal=principal)]) is is_allowed


@pytest.mark.parametrize(("host", "is_allowed"), [("10.0.0.1", True), ("10.0.0.0/8", False)])
def test_a_host_is_compared_as_text(host: str, is_allowed: bool) -> None:
    """Kafka knows no ranges of addresses."""
    assert decides([acl(ALLOW, Operation.READ, host=host)]) is is_allowed


@pytest.mark.parametrize(
    ("given_operation", "implied"),
    [
        (Operation.READ, {Operation.DESCRIBE}),
        (Operation.WRITE, {Operation.DESCRIBE}),
        (Operation.DELETE, {Operation.DESCRIBE}),
        (Operation.ALTER, {Operation.DESCRIBE}),
        (Operation.ALTER_CONFIGS, {Operation.DESCRIBE_CONFIGS}),
        (Operation.CREATE, set()),
        (Operation.DESCRIBE_CONFIGS, set()),
        (Operation.IDEMPOTENT_WRITE, set()),
        (Operation.ALL, {each for each in Operation if each > Operation.ALL}),
    ],
)
def test_an_allowed_operation_implies_others(
    given_operation: Operation, implied: set[Operation]
) -> None:
    """CREATE does not imply DESCRIBE."""
    acls = [acl(ALLOW, given_operation)]
    allowed = {each for each in Operation if each > Operation.ALL and decides(acls, each)}

    assert allowed == implied | {given_operation} - {Operation.ALL}


def test_a_denial_has_precedence() -> None:
    """Whichever pattern is more specific."""
    denied = acl(DENY, Operation.READ, "*", principal="User:*")

    assert not decides([acl(ALLOW, Operation.ALL), denied])


def test_a_denial_implies_no_other_operation() -> None:
    """A denial of READ leaves DESCRIBE, and one of DESCRIBE leaves READ."""
    allowed = acl(ALLOW, Operation.ALL)

    assert decides([allowed, acl(DENY, Operation.READ)], Operation.DESCRIBE)
    assert decides([allowed, acl(DENY, Operation.DESCRIBE)], Operation.READ)


NAMES = st.text("ab*", max_size=3)
ACLS = st.lists(
    st.builds(
        AclBinding,
        st.sampled_from([TOPIC, ResourceType.GROUP]),
        st.sampled_from([LITERAL, PREFIXED]),
        NAMES,
        st.sampled_from(["User:alice", "User:bob", "User:*"]),
        st.sampled_from(["*", "10.0.0.1", "10.0.0.2"]),
        st.sampled_from([each for each in Operation if each >= Operation.ALL]),
        st.sampled_from([ALLOW, DENY]),
    ),
    max_size=8,
    unique=True,
)


@given(
    acls=ACLS,
    removed=ACLS,
    operation=st.sampled_from([each for each in Operation if each > Operation.ALL]),
    name=NAMES,
    default=st.booleans(),
)
def test_decisions_are_those_of_the_rules(
    acls: list[AclBinding],
    removed: list[AclBinding],
    operation: Operation,
    name: str,
    default: bool,
) -> None:
    """Also after ACLs have been removed from the index."""
    known = Acls()
    ids = {each: uuid.uuid4() for each in [*removed, *acls]}
    known.add({acl_id: each for each, acl_id in ids.items()})
    known.remove(acl_id for each, acl_id in ids.items() if each not in acls)
    decider = StandardAuthorizer(known, ["User:root"], allow_everyone_if_no_acl_found=default)

    found = decider.authorize(ALICE, operation, TOPIC, name)

    expected = may(acls, ["User:root"], default, ALICE, operation, TOPIC, name)
    assert found == expected


WRITE_A = acl(ALLOW, Operation.WRITE, "abc")


@pytest.mark.parametrize(
    ("acls", "is_allowed"),
    [
        ([], False),
        ([WRITE_A], True),
        ([acl(ALLOW, Operation.ALL, "abc")], True),
        ([acl(ALLOW, Operation.WRITE, "abc", principal="User:bob")], False),
        ([WRITE_A, acl(DENY, Operation.WRITE, "abc")], False),
        ([WRITE_A, acl(DENY, Operation.WRITE, "ab", pattern_type=PREFIXED)], False),
        ([WRITE_A, acl(DENY, Operation.WRITE, "abd", pattern_type=PREFIXED)], True),
        (
            [
                acl(ALLOW, Operation.WRITE, "abc", pattern_type=PREFIXED),
                acl(DENY, Operation.WRITE, "abc"),
            ],
            True,
        ),
        (
            [
                acl(ALLOW, Operation.WRITE, "*"),
                acl(DENY, Operation.WRITE, "a", pattern_type=PREFIXED),
            ],
            True,
        ),
        ([acl(ALLOW, Operation.WRITE, "*"), acl(DENY, Operation.WRITE, "*")], False),
        ([WRITE_A, acl(DENY, Operation.WRITE, "*", host="10.0.0.2")], True),
    ],
)
def test_at_least_one_resource_of_a_type_is_allowed(
    acls: list[AclBinding], is_allowed: bool
) -> None:
    """An allowed pattern counts unless a denied one includes it."""
    found = authorizer(acls).authorize_by_resource_type(ALICE, Operation.WRITE, TOPIC)

    assert found is is_allowed


def test_a_super_user_is_allowed_at_least_one_resource() -> None:
    """No ACL is needed."""
    assert authorizer([], ["User:alice"]).authorize_by_resource_type(ALICE, Operation.WRITE, TOPIC)


def test_a_refusal_is_logged_with_what_was_refused(caplog: pytest.LogCaptureFixture) -> None:
    """Kafka's audit log has the same facts."""
    caplog.set_level(logging.INFO, "kafka.authorizer.logger")
    denied = acl(DENY, Operation.ALTER, CLUSTER_NAME, resource_type=ResourceType.CLUSTER)

    authorizer([denied]).authorize(
        ALICE, Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME, api_key=30, resource_count=2
    )

    assert caplog.messages == [
        (
            "principal User:alice from host 10.0.0.1 is denied operation ALTER on resource "
            "CLUSTER:LITERAL:kafka-cluster for request CreateAcls with resource count 2 "
            f"by rule {denied}"
        )
    ]


def test_a_refusal_that_only_filters_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nor is a permission, at this level."""
    caplog.set_level(logging.INFO, "kafka.authorizer.logger")
    allows = authorizer([acl(ALLOW, Operation.READ)])

    allows.authorize(ALICE, Operation.READ, TOPIC, "hidden", is_refusal_logged=False)
    allows.authorize(ALICE, Operation.READ, TOPIC, "t")

    assert not caplog.messages


def test_a_permission_is_logged_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    """With the ACL that allows it."""
    caplog.set_level(logging.DEBUG, "kafka.authorizer.logger")

    authorizer([acl(ALLOW, Operation.READ)]).authorize(ALICE, Operation.DESCRIBE, TOPIC, "t")

    assert "is allowed operation DESCRIBE on resource TOPIC:LITERAL:t" in caplog.text


def test_the_class_name_enables_the_authorizer() -> None:
    """Its settings come from the configuration of the broker."""
    settings = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:root; User:CN=a,O=b",
        "allow.everyone.if.no.acl.found": "true",
    }
    found = configured_authorizer(parse_config(settings), Acls())

    assert found is not None
    assert found.authorize(ALICE, Operation.READ, TOPIC, "t")
    root = Session(user("CN=a,O=b"))
    assert found.authorize(root, Operation.READ, TOPIC, "t")


def test_without_a_class_name_there_is_no_authorizer() -> None:
    """Super users have no effect then."""
    assert configured_authorizer(parse_config({"super.users": "User:a"}), Acls()) is None
