"""The stored ACLs, SCRAM credentials and delegation tokens, as in the records of Kafka's log.

Passwords are not stored, and neither are the HMACs of tokens.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from uuid import UUID

from broker.security.acl.binding import AclBinding
from broker.security.principal import parse_principal
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.security.sasl.credentials import ScramCredential
from broker.security.tokens.delegation_token import DelegationToken

_SCHEMA = """
CREATE TABLE IF NOT EXISTS acls (
    id BLOB PRIMARY KEY, resource_type INTEGER NOT NULL, pattern_type INTEGER NOT NULL,
    name TEXT NOT NULL, principal TEXT NOT NULL, host TEXT NOT NULL, operation INTEGER NOT NULL,
    permission INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS scram_credentials (
    user TEXT NOT NULL, mechanism TEXT NOT NULL, salt BLOB NOT NULL, stored_key BLOB NOT NULL,
    server_key BLOB NOT NULL, iterations INTEGER NOT NULL, PRIMARY KEY (user, mechanism)
);
CREATE TABLE IF NOT EXISTS delegation_tokens (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, requester TEXT NOT NULL, renewers TEXT NOT NULL,
    issue_ms INTEGER NOT NULL, max_ms INTEGER NOT NULL, expiry_ms INTEGER NOT NULL
);
"""


class SecurityStore:
    """Tables of the controller's *database*; each write is a *change* of it."""

    def __init__(
        self, database: sqlite3.Connection, change: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database = database
        self._change = change
        database.executescript(_SCHEMA)

    def acls(self) -> dict[UUID, AclBinding]:
        """All ACLs, by id."""
        rows = self._database.execute("SELECT * FROM acls")
        return {UUID(bytes=acl_id): _binding(*values) for acl_id, *values in rows}

    def add_acls(self, acls: Mapping[UUID, AclBinding]) -> None:
        """Write new ACLs."""
        rows = [(acl_id.bytes, *binding) for acl_id, binding in acls.items()]
        with self._change():
            self._database.executemany("INSERT INTO acls VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def remove_acls(self, ids: Iterable[UUID]) -> None:
        """Remove the ACLs with these ids."""
        with self._change():
            self._database.executemany(
                "DELETE FROM acls WHERE id = ?", [(acl_id.bytes,) for acl_id in ids]
            )

    def scram(self) -> dict[tuple[str, str], ScramCredential]:
        """All SCRAM credentials, by user and mechanism."""
        rows = self._database.execute("SELECT * FROM scram_credentials")
        return {(user, mechanism): ScramCredential(*values) for user, mechanism, *values in rows}

    def put_scram(self, credentials: Mapping[tuple[str, str], ScramCredential | None]) -> None:
        """Replace credentials by user and mechanism; None removes one."""
        removed = [key for key, credential in credentials.items() if credential is None]
        rows = [(*key, *credential) for key, credential in credentials.items() if credential]
        with self._change():
            self._database.executemany(
                "DELETE FROM scram_credentials WHERE user = ? AND mechanism = ?", removed
            )
            self._database.executemany(
                "REPLACE INTO scram_credentials VALUES (?, ?, ?, ?, ?, ?)", rows
            )

    def delegation_tokens(self) -> dict[str, DelegationToken]:
        """All delegation tokens, by id."""
        rows = self._database.execute("SELECT * FROM delegation_tokens")
        return {token_id: _token(token_id, *values) for token_id, *values in rows}

    def put_delegation_tokens(self, tokens: Mapping[str, DelegationToken | None]) -> None:
        """Replace tokens by id; None removes one."""
        removed = [(token_id,) for token_id, token in tokens.items() if token is None]
        rows = [
            (
                token_id,
                str(token.owner),
                str(token.requester),
                json.dumps(list(map(str, token.renewers))),
                token.issue_ms,
                token.max_ms,
                token.expiry_ms,
            )
            for token_id, token in tokens.items()
            if token is not None
        ]
        with self._change():
            self._database.executemany("DELETE FROM delegation_tokens WHERE id = ?", removed)
            self._database.executemany(
                "REPLACE INTO delegation_tokens VALUES (?, ?, ?, ?, ?, ?, ?)", rows
            )


def _binding(
    resource_type: int,
    pattern_type: int,
    name: str,
    principal: str,
    host: str,
    operation: int,
    permission: int,
) -> AclBinding:
    return AclBinding(
        ResourceType(resource_type),
        PatternType(pattern_type),
        name,
        principal,
        host,
        Operation(operation),
        Permission(permission),
    )


def _token(
    token_id: str,
    owner: str,
    requester: str,
    renewers: str,
    issue_ms: int,
    max_ms: int,
    expiry_ms: int,
) -> DelegationToken:
    return DelegationToken(
        token_id,
        parse_principal(owner),
        parse_principal(requester),
        tuple(map(parse_principal, json.loads(renewers))),
        issue_ms,
        max_ms,
        expiry_ms,
    )
