"""Changes of ACLs and credentials."""

from __future__ import annotations

import uuid

from broker.controller.database.security_changes import (
    AclsAdded,
    AclsRemoved,
    DelegationTokensChanged,
    ScramCredentialsChanged,
    SecurityChange,
    changes_to,
    stored_changes,
)
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import MetadataImage
from broker.security.acl.binding import AclBinding
from broker.security.principal import user
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.security.sasl.credentials import ScramCredential
from broker.security.tokens.delegation_token import DelegationToken

ACL = AclBinding(
    ResourceType.TOPIC,
    PatternType.LITERAL,
    "t",
    "User:a",
    "*",
    Operation.READ,
    Permission.ALLOW,
)
SHA_256 = "SCRAM-SHA-256"
CREDENTIAL = ScramCredential(b"salt", b"stored", b"server", 4096)
TOKEN = DelegationToken("1", user("a"), user("b"), (user("c:d"),), 1, 9, 5)
FIRST, SECOND = uuid.uuid4(), uuid.uuid4()
CHANGES: list[SecurityChange] = [
    AclsAdded({FIRST: ACL, SECOND: ACL._replace(name="u")}),
    AclsRemoved([FIRST]),
    ScramCredentialsChanged({("a", SHA_256): CREDENTIAL, ("b", SHA_256): CREDENTIAL}),
    ScramCredentialsChanged({("b", SHA_256): None}),
    DelegationTokensChanged({"1": TOKEN, "2": TOKEN._replace(token_id="2")}),
    DelegationTokensChanged({"1": None, "2": None, "3": TOKEN._replace(token_id="3")}),
]


def check(image: MetadataImage) -> None:
    """Assert that the image is that after all changes."""
    assert image.acls.by_id == {SECOND: ACL._replace(name="u")}
    assert image.scram == {("a", SHA_256): CREDENTIAL}
    assert image.delegation_tokens == {"3": TOKEN._replace(token_id="3")}


def test_an_image_is_described_by_the_changes_that_lead_to_it() -> None:
    """A node that registers gets them."""
    image, copy = MetadataImage("c"), MetadataImage("c")
    for change in CHANGES:
        change.apply(image)

    for change in changes_to(image):
        change.apply(copy)

    for found in (image, copy):
        check(found)


def test_an_empty_image_has_no_changes() -> None:
    """So a cluster without ACLs sends none."""
    assert not list(changes_to(MetadataImage("c")))


def test_stored_changes_lead_to_the_same_image() -> None:
    """After a restart of the controller."""
    store, image = ControllerStore(None), MetadataImage("c")
    for change in CHANGES:
        change.store(store.security)

    for change in stored_changes(store.security):
        change.apply(image)

    check(image)
    store.close()
