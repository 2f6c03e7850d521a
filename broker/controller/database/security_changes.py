"""Changes of ACLs and credentials: how each is stored, and how it is applied to an image.

Kafka has a record for each in its metadata log, and an image for each kind (``AclsImage``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol
from uuid import UUID

from broker.controller.database.security_store import SecurityStore
from broker.controller.metadata.image import MetadataImage
from broker.security.acl.binding import AclBinding
from broker.security.sasl.credentials import ScramCredential
from broker.security.tokens.delegation_token import DelegationToken
from protocol.lazy_dataclass import dataclass


class SecurityChange(Protocol):
    """One change."""

    def store(self, store: SecurityStore) -> None:
        """Write the change."""
        ...

    def apply(self, image: MetadataImage) -> None:
        """Apply the change to the image of the controller or of a node."""
        ...


@dataclass(frozen=True, slots=True)
class AclsAdded(SecurityChange):
    """New ACLs, by id."""

    acls: Mapping[UUID, AclBinding]

    def store(self, store: SecurityStore) -> None:
        """Write the ACLs."""
        store.add_acls(self.acls)

    def apply(self, image: MetadataImage) -> None:
        """Add the ACLs."""
        image.acls.add(self.acls)


@dataclass(frozen=True, slots=True)
class AclsRemoved(SecurityChange):
    """ACLs with these ids are removed."""

    ids: Collection[UUID]

    def store(self, store: SecurityStore) -> None:
        """Remove the stored ACLs."""
        store.remove_acls(self.ids)

    def apply(self, image: MetadataImage) -> None:
        """Remove the ACLs."""
        image.acls.remove(self.ids)


@dataclass(frozen=True, slots=True)
class ScramCredentialsChanged(SecurityChange):
    """New credentials by user and mechanism; None: it is removed."""

    credentials: Mapping[tuple[str, str], ScramCredential | None]

    def store(self, store: SecurityStore) -> None:
        """Write the credentials."""
        store.put_scram(self.credentials)

    def apply(self, image: MetadataImage) -> None:
        """Replace the credentials."""
        for (user, mechanism), credential in self.credentials.items():
            image.put_scram(user, mechanism, credential)


@dataclass(frozen=True, slots=True)
class DelegationTokensChanged(SecurityChange):
    """New or changed tokens by id; None: it is removed."""

    tokens: Mapping[str, DelegationToken | None]

    def store(self, store: SecurityStore) -> None:
        """Write the tokens."""
        store.put_delegation_tokens(self.tokens)

    def apply(self, image: MetadataImage) -> None:
        """Replace the tokens."""
        for token_id, token in self.tokens.items():
            image.put_delegation_token(token_id, token)


def changes_to(image: MetadataImage) -> Iterator[SecurityChange]:
    """The changes that lead from an empty image to *image*."""
    if len(image.acls):
        yield AclsAdded(dict(image.acls.by_id))
    if image.scram:
        yield ScramCredentialsChanged(dict(image.scram))
    if image.delegation_tokens:
        yield DelegationTokensChanged(dict(image.delegation_tokens))


def stored_changes(store: SecurityStore) -> Iterator[SecurityChange]:
    """The changes that lead from an empty image to the stored state."""
    yield AclsAdded(store.acls())
    yield ScramCredentialsChanged(store.scram())
    yield DelegationTokensChanged(store.delegation_tokens())
