"""Access control entries: created, described and deleted, with each rejected form."""

from __future__ import annotations

from broker.security.resource import Operation, ResourceType
from integration.parity.acls import (
    ANY,
    CLUSTER,
    DENY,
    GROUP,
    LITERAL,
    MATCH,
    PREFIXED,
    TOPIC,
    acl_filter,
    creation,
    deleted,
    deletion,
    described,
)
from integration.parity.edited import response_or_closed
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import ONE, SECURED
from protocol.messages.create_acls import AclCreation, CreateAclsRequest
from protocol.messages.delete_acls import DeleteAclsRequest


def _create(kafka: Kafka, *creations: AclCreation, version: int = 3) -> object:
    return kafka.request(CreateAclsRequest(creations=list(creations)), version)


@scenario(on=ONE)
def acls_without_an_authorizer(kafka: Kafka) -> Observations:
    """Without an authorizer the three requests are refused, in each version."""
    for version in (1, 2, 3):
        yield kafka.request(acl_filter(), version)
        yield _create(kafka, creation("User:a"), creation("User:b"), version=version)
        yield kafka.request(deletion(acl_filter(), acl_filter("User:a")), version)
    yield _create(kafka)
    yield kafka.request(DeleteAclsRequest(filters=[]))


@scenario(on=SECURED)
def entries_are_created_and_deleted(kafka: Kafka) -> Observations:
    """Entries of each resource type, in each version."""
    user = f"User:{kafka.new_user()}"
    name = kafka.new_name("name")
    for version in (1, 2, 3):
        creations = [
            creation(user, Operation.READ, TOPIC, name),
            creation(user, Operation.ALL, GROUP, name, pattern=PREFIXED),
            creation(user, Operation.CREATE, CLUSTER, "kafka-cluster", permission=DENY),
            creation(user, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "*", host="127.0.0.1"),
            creation(user, Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, name),
        ]
        if version == 3:
            creations.append(creation(user, Operation.CREATE_TOKENS, ResourceType.USER, "User:x"))
        yield version, _create(kafka, *creations, version=version)
        kafka.settle()
        yield described(kafka.request(acl_filter(user), version))
        response = kafka.request(deletion(acl_filter(user)), version)
        yield deleted(response), response.filter_results[0].error_message
        kafka.settle()
        yield described(kafka.request(acl_filter(user), version))


@scenario(on=SECURED)
def entries_are_stored_once(kafka: Kafka) -> Observations:
    """The same entry twice, in one request and in two, is stored once."""
    user = f"User:{kafka.new_user()}"
    one = creation(user, name="same")
    yield _create(kafka, one, one)
    yield _create(kafka, one)
    kafka.settle()
    yield described(kafka.request(acl_filter(user)))


@scenario(on=SECURED)
def rejected_entries(kafka: Kafka) -> Observations:
    """Each invalid entry has its own error, and the entry beside it is stored."""
    user = f"User:{kafka.new_user()}"
    for what, entry in (
        ("cluster with another name", creation(user, resource=CLUSTER, name="other")),
        ("empty name", creation(user, name="")),
        ("no colon", creation("alice")),
        ("empty principal", creation("")),
        ("any resource", creation(user, resource=ResourceType.ANY)),
        ("any pattern", creation(user, pattern=ANY)),
        ("match", creation(user, pattern=MATCH)),
        ("any operation", creation(user, Operation.ANY)),
        ("any permission", creation(user, permission=1)),
        ("unknown resource", creation(user, resource=99)),
        ("unknown pattern", creation(user, pattern=99)),
        ("unknown operation", creation(user, 99)),
        ("unknown permission", creation(user, permission=99)),
    ):
        yield what, _create(kafka, entry, creation(user, name=what))
    kafka.settle()
    yield described(kafka.request(acl_filter(user)))


@scenario(on=SECURED)
def accepted_oddities(kafka: Kafka) -> Observations:
    """Hosts and names of any text, and operations that a resource type does not have."""
    user = f"User:{kafka.new_user()}"
    yield _create(
        kafka,
        creation(user, host="not a host"),
        creation(user, host=""),
        creation(user, host="10.0.0.0/8"),
        creation(user, name="no good topic!"),
        creation(user, Operation.IDEMPOTENT_WRITE),
        creation(user, Operation.DELETE, CLUSTER, "kafka-cluster"),
        creation(user, Operation.READ, CLUSTER, "kafka-cluster", pattern=PREFIXED),
        creation(user.replace("User", "Group")),
        creation(user.replace("User", "")),
    )
    kafka.settle()
    for principal in (user, user.replace("User", "Group"), user.replace("User", "")):
        yield described(kafka.request(acl_filter(principal)))


@scenario(on=SECURED)
def enums_of_zero_close(kafka: Kafka) -> Observations:
    """The code 0 in an enumeration closes the connection."""
    user = f"User:{kafka.new_user()}"
    for entry in (
        creation(user, resource=0),
        creation(user, pattern=0),
        creation(user, 0),
        creation(user, permission=0),
    ):
        yield response_or_closed(kafka, CreateAclsRequest(creations=[entry]), 3)
    for each in (
        acl_filter(user, resource=0),
        acl_filter(user, pattern=0),
        acl_filter(user, operation=0),
        acl_filter(user, permission=0),
    ):
        yield response_or_closed(kafka, each, 3)
        yield response_or_closed(kafka, deletion(each), 3)


@scenario(on=SECURED)
def filters_by_pattern(kafka: Kafka) -> Observations:
    """LITERAL, PREFIXED, MATCH and ANY select names in their own ways."""
    user = f"User:{kafka.new_user()}"
    stem = kafka.new_name("stem")
    name = f"{stem}-name"
    yield _create(
        kafka,
        creation(user, name=name),
        creation(user, name="*"),
        creation(user, name=stem, pattern=PREFIXED),
        creation(user, name=name, pattern=PREFIXED),
        creation(user, name=f"{name}-more"),
    )
    kafka.settle()
    for pattern in (LITERAL, PREFIXED, MATCH, ANY, 99):
        for wanted in (name, stem, "*", f"{name}-more", None):
            found = kafka.request(acl_filter(user, name=wanted, pattern=pattern))
            yield pattern, wanted, found.error_code, found.error_message, described(found)


@scenario(on=SECURED)
def filters_by_other_fields(kafka: Kafka) -> Observations:
    """Principal, host, operation, permission and type; ALL is an operation and no wildcard."""
    user = f"User:{kafka.new_user()}"
    yield _create(
        kafka,
        creation(user, Operation.READ, host="127.0.0.1"),
        creation(user, Operation.ALL),
        creation(user, Operation.READ, GROUP, permission=DENY),
    )
    kafka.settle()
    for what, each in (
        ("host", acl_filter(user, host="127.0.0.1")),
        ("any host", acl_filter(user, host="*")),
        ("all", acl_filter(user, operation=Operation.ALL)),
        ("read", acl_filter(user, operation=Operation.READ)),
        ("write", acl_filter(user, operation=Operation.WRITE)),
        ("deny", acl_filter(user, permission=DENY)),
        ("group", acl_filter(user, resource=GROUP)),
        ("unknown resource", acl_filter(user, resource=99)),
        ("unknown operation", acl_filter(user, operation=99)),
        ("unknown permission", acl_filter(user, permission=99)),
    ):
        yield what, described(kafka.request(each))


@scenario(on=SECURED)
def deletions_by_several_filters(kafka: Kafka) -> Observations:
    """Each filter lists its matches, also those of an earlier filter; unknown codes fail."""
    user = f"User:{kafka.new_user()}"
    yield _create(kafka, creation(user, name="one"), creation(user, name="two"))
    kafka.settle()
    one = acl_filter(user, resource=TOPIC, name="one", pattern=LITERAL)
    bad = acl_filter(user, resource=99)
    response = kafka.request(deletion(one, bad, one, acl_filter(user, name="absent")))
    yield deleted(response)
    yield [(each.error_code, each.error_message) for each in response.filter_results]
    kafka.settle()
    yield described(kafka.request(acl_filter(user)))
    for each in (acl_filter(user, pattern=99), acl_filter(user, operation=99)):
        yield kafka.request(deletion(each))


@scenario(on=SECURED)
def no_entries(kafka: Kafka) -> Observations:
    """Empty requests have empty responses."""
    yield _create(kafka)
    yield kafka.request(DeleteAclsRequest(filters=[]))
