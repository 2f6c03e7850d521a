"""Selects ACLs by patterns and entries (``org.apache.kafka.common.acl.AclBindingFilter``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from broker.security.acl.binding import WILDCARD, AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import Slices


class AclFilter(NamedTuple):
    """The values that an ACL must have; ANY and None match every value.

    With the pattern type MATCH, *name* is a resource: patterns that include it match. UNKNOWN
    values match nothing.
    """

    resource_type: ResourceType
    pattern_type: PatternType
    name: str | None
    principal: str | None
    host: str | None
    operation: Operation
    permission: Permission

    @property
    def has_unknown_pattern(self) -> bool:
        """Whether the type of resource or of pattern is unknown."""
        return (
            self.resource_type is ResourceType.UNKNOWN or self.pattern_type is PatternType.UNKNOWN
        )

    @property
    def has_unknown_entry(self) -> bool:
        """Whether the operation or the permission is unknown."""
        return self.operation is Operation.UNKNOWN or self.permission is Permission.UNKNOWN

    def matches(self, acl: AclBinding) -> bool:
        """Whether the filter selects the ACL."""
        return (
            self.resource_type in (ResourceType.ANY, acl.resource_type)
            and self.principal in (None, acl.principal)
            and self.host in (None, acl.host)
            and self.operation in (Operation.ANY, acl.operation)
            and self.permission in (Permission.ANY, acl.permission)
            and self._matches_pattern(acl)
        )

    def select(self, acls: Iterable[AclBinding]) -> Slices[list[AclBinding]]:
        """The ACLs that the filter selects."""
        selected = []
        for acl in acls:
            if self.matches(acl):
                selected.append(acl)
            yield None
        return selected

    def _matches_pattern(self, acl: AclBinding) -> bool:
        if self.pattern_type is PatternType.MATCH:
            return self.name is None or self._is_included(self.name, acl)
        is_of_type = self.pattern_type in (PatternType.ANY, acl.pattern_type)
        return is_of_type and self.name in (None, acl.name)

    def _is_included(self, name: str, acl: AclBinding) -> bool:
        if acl.pattern_type is PatternType.PREFIXED:
            return name.startswith(acl.name)
        return acl.name in (name, WILDCARD)
