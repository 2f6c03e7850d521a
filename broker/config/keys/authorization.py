"""Keys of the authorizer."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import Boolean, OneOf, PrincipalList
from protocol.lazy_dataclass import dataclass

STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


@dataclass(kw_only=True)
class AuthorizationKeys:
    """Keys of the authorizer."""

    authorizer_class_name: str = key(
        "authorizer.class.name",
        OneOf(("", STANDARD_AUTHORIZER)),
        "",
        "The authorizer, which decides by ACLs; without one, all clients may do everything.",
    )
    super_users: tuple[str, ...] = key(
        "super.users",
        PrincipalList(),
        (),
        "The users that may do everything, whatever the ACLs are.",
        of_plugin=True,
    )
    allow_everyone_if_no_acl_found: bool = key(
        "allow.everyone.if.no.acl.found",
        Boolean(),
        False,
        "Whether all clients may do everything with a resource that no ACL names.",
        of_plugin=True,
    )
