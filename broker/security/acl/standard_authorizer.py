"""Decides by ACLs and super users (``org.apache.kafka.metadata.authorizer.StandardAuthorizer``).

The ACLs of a resource are those of its literal name, of the prefixes of its name, and of the
literal ``*``. Of these, a decision uses those that have the client's principal (or ``User:*``), its
host (or ``*``), and the operation (or ALL, or for ALLOW an operation that implies it). A DENY
decides before any ALLOW. A super user is allowed everything, also what is denied to all.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from broker.config import Config
from broker.security.acl.acls import Acls
from broker.security.acl.binding import WILDCARD, WILDCARD_HOST, WILDCARD_PRINCIPAL, AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.security.session import Session
from protocol.api_names import api_name

# An audit log of the decisions: refusals at INFO, others at DEBUG.
logger = logging.getLogger("kafka.authorizer.logger")

_DESCRIBING = frozenset({Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER})
# The operations for which an ALLOW also allows the key.
_IMPLIED_BY: Final[Mapping[Operation, frozenset[Operation]]] = MappingProxyType(
    {
        Operation.DESCRIBE: _DESCRIBING,
        Operation.DESCRIBE_CONFIGS: frozenset({Operation.ALTER_CONFIGS}),
    }
)
_NONE: Final[frozenset[Operation]] = frozenset()


def configured_authorizer(config: Config, acls: Acls) -> StandardAuthorizer | None:
    """The authorizer of a node with these settings; None if everything is allowed."""
    if not config.authorizer_class_name:
        return None
    return StandardAuthorizer(
        acls,
        config.super_users,
        allow_everyone_if_no_acl_found=config.allow_everyone_if_no_acl_found,
    )


class StandardAuthorizer:
    """Decides by *acls*, which others change."""

    def __init__(
        self,
        acls: Acls,
        super_users: Collection[str] = (),
        *,
        allow_everyone_if_no_acl_found: bool = False,
    ) -> None:
        self._acls = acls
        self._super_users = frozenset(super_users)
        self._default = allow_everyone_if_no_acl_found

    def authorize(
        self,
        session: Session,
        operation: Operation,
        resource_type: ResourceType,
        name: str,
        *,
        api_key: int | None = None,
        resource_count: int = 1,
        is_refusal_logged: bool = True,
    ) -> bool:
        """Whether the client may do *operation* on the resource *name* (`Authorizer.authorize`).

        Kafka does not log a refusal that only leaves a resource out of a list.
        """
        is_allowed, rule = self._decide(session, operation, resource_type, name)
        level = logging.DEBUG if is_allowed else logging.INFO
        if logger.isEnabledFor(level) and (is_allowed or is_refusal_logged):
            logger.log(
                level,
                "principal %s from host %s is %s operation %s on resource %s:LITERAL:%s "
                "for request %s with resource count %d by rule %s",
                session.principal,
                session.host,
                "allowed" if is_allowed else "denied",
                operation.name,
                resource_type.name,
                name,
                None if api_key is None else api_name(api_key),
                resource_count,
                rule,
            )
        return is_allowed

    def authorize_by_resource_type(
        self, session: Session, operation: Operation, resource_type: ResourceType
    ) -> bool:
        """Whether the client may do *operation* on at least one resource of the type.

        Operations that imply *operation* are not considered. An allowed pattern counts unless the
        same literal, a prefix of it, or all resources are denied; a resource with any other name
        than those of ACLs also counts (``Authorizer.authorizeByResourceType``).
        """
        if self._decide(session, operation, resource_type, "hardcode")[0]:
            return True
        allowed: set[tuple[PatternType, str]] = set()
        denied: set[tuple[PatternType, str]] = set()
        principals = {str(session.principal), WILDCARD_PRINCIPAL}
        for acl in self._acls.of_principals(resource_type, principals):
            if _has_host(acl, session) and acl.operation in (operation, Operation.ALL):
                selected = allowed if acl.permission is Permission.ALLOW else denied
                selected.add((acl.pattern_type, acl.name))
        all_resources = (PatternType.LITERAL, WILDCARD)
        if all_resources in denied:
            return False
        return all_resources in allowed or any(
            not _is_dominated(pattern, denied) for pattern in allowed
        )

    def _decide(
        self, session: Session, operation: Operation, resource_type: ResourceType, name: str
    ) -> tuple[bool, object]:
        """The decision, and the rule that it follows from."""
        principal = str(session.principal)
        if principal in self._super_users:
            return True, "super.users"
        found = self._acls.of_resource(resource_type, name)
        if not found:
            return self._default, "allow.everyone.if.no.acl.found"
        implied_by = _IMPLIED_BY.get(operation, _NONE)
        allowing: AclBinding | None = None
        for by_principal in found:
            for key in (principal, WILDCARD_PRINCIPAL):
                for acl in by_principal.get(key, ()):
                    given = acl.operation
                    if not _has_host(acl, session):
                        continue
                    if given is operation or given is Operation.ALL:
                        if acl.permission is Permission.DENY:
                            return False, acl
                        allowing = acl
                    elif given in implied_by and acl.permission is Permission.ALLOW:
                        allowing = acl
        return (True, allowing) if allowing is not None else (False, "no ACL allows it")


def _has_host(acl: AclBinding, session: Session) -> bool:
    return acl.host in (WILDCARD_HOST, session.host)


def _is_dominated(
    allowed: tuple[PatternType, str], denied: Collection[tuple[PatternType, str]]
) -> bool:
    """Whether the denied patterns include all resources of the allowed one."""
    pattern_type, name = allowed
    if pattern_type is PatternType.LITERAL and allowed in denied:
        return True
    return any((PatternType.PREFIXED, prefix) in denied for prefix in accumulate(name))
