"""The stored ACLs, credentials and tokens."""

from __future__ import annotations

import uuid
from pathlib import Path

from broker.controller.database.store import ControllerStore
from broker.security.acl.binding import AclBinding
from broker.security.principal import user
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.security.sasl.credentials import ScramCredential
from broker.security.tokens.delegation_token import DelegationToken

ACL = AclBinding(
    ResourceType.USER,
    PatternType.PREFIXED,
    "User:b",
    "User:a",
    "0:0:0:0:0:0:0:1",
    Operation.CREATE_TOKENS,
    Permission.DENY,
)


def test_acls_are_read_as_they_were_written(tmp_path: Path) -> None:
    """By another store over the same file, with their types."""
    store = ControllerStore(tmp_path / "controller.db")
    first, second = uuid.uuid4(), uuid.uuid4()
    store.security.add_acls({first: ACL, second: ACL._replace(name="x")})
    store.security.remove_acls([second])
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.security.acls() == {first: ACL}
    [found] = again.security.acls().values()
    assert found.operation is Operation.CREATE_TOKENS
    again.close()


def test_credentials_and_tokens_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Names may contain any character; a removed one is not read."""
    store = ControllerStore(tmp_path / "controller.db")
    credential = ScramCredential(b"\0salt", b"stored", b"", 4096)
    token = DelegationToken("id", user("a:b"), user("é,"), (user("c"), user("")), 1, 2**62, 5)
    store.security.put_scram({("ü:x", "SCRAM-SHA-512"): credential, ("b", "m"): credential})
    store.security.put_scram({("b", "m"): None})
    store.security.put_delegation_tokens({"id": token, "other": token})
    store.security.put_delegation_tokens({"other": None, "id": token._replace(expiry_ms=7)})
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.security.scram() == {("ü:x", "SCRAM-SHA-512"): credential}
    assert again.security.delegation_tokens() == {"id": token._replace(expiry_ms=7)}
    again.close()
