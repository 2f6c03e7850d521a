"""Creates and deletes ACLs (Kafka's ``AclControlManager``)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence

from broker.common.errors import ApiError
from broker.controller.cluster_state import ClusterState
from broker.controller.database.security_changes import AclsAdded, AclsRemoved
from broker.security.acl.binding import AclBinding
from broker.security.acl.filter import AclFilter
from broker.security.principal import parse_principal
from broker.security.resource import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

# The number of records that one request may cause
# (``QuorumController.MAX_RECORDS_PER_USER_OP``).
_CHANGES_MAX = 10_000
# The changes that are stored and published in one step, which takes about a millisecond.
_CHANGES_PER_COMMIT = 200


class AclControl:
    """Changes the ACLs of the cluster."""

    def __init__(self, state: ClusterState) -> None:
        self._state = state

    def create(self, bindings: Iterable[AclBinding]) -> Slices[list[ApiError | None]]:
        """Add ACLs; returns an error or None for each. An existing one is not added again.

        Raises `ApiError` POLICY_VIOLATION if there are more than 10,000 new ones.
        """
        acls = self._state.image.acls
        errors = []
        new: dict[AclBinding, None] = {}
        for binding in bindings:
            errors.append(error := _invalid(binding))
            if error is None and binding not in acls:
                new[binding] = None
            yield None
        if len(new) > _CHANGES_MAX:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION, "Unable to perform excessively large batch operation."
            )
        for some in _portions(list(new)):
            # Another request may have added some of them since.
            added = {uuid.uuid4(): binding for binding in some if binding not in acls}
            self._state.put_security(AclsAdded(added))
            yield None
        return errors

    def delete(self, filters: Iterable[AclFilter]) -> Slices[list[list[AclBinding] | ApiError]]:
        """Remove the ACLs that a filter matches; returns the removed ones, or an error, for each.

        An ACL that several filters match is in the result of each. Raises `ApiError`
        INVALID_REQUEST if more than 10,000 ACLs match.
        """
        acls = self._state.image.acls
        results: list[list[AclBinding] | ApiError] = []
        matching: dict[AclBinding, None] = {}
        for each in filters:
            if (error := _unknown(each)) is not None:
                results.append(error)
                continue
            found = yield from each.select(list(acls))
            results.append(found)
            matching.update(dict.fromkeys(found))
        if len(matching) > _CHANGES_MAX:
            raise _refusal(
                f"Cannot remove more than {_CHANGES_MAX} acls in a single delete operation."
            )
        for some in _portions(list(matching)):
            # Another request may have removed some of them since.
            removed = [acls.id_of(binding) for binding in some if binding in acls]
            self._state.put_security(AclsRemoved(removed))
            yield None
        return results


def _portions(bindings: Sequence[AclBinding]) -> Iterator[Sequence[AclBinding]]:
    for first in range(0, len(bindings), _CHANGES_PER_COMMIT):
        yield bindings[first : first + _CHANGES_PER_COMMIT]


def _invalid(acl: AclBinding) -> ApiError | None:
    if acl.resource_type is ResourceType.CLUSTER and acl.name != CLUSTER_NAME:
        return _refusal(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not acl.name:
        return _refusal("Invalid empty resource name")
    for is_unknown, what in (
        (acl.resource_type is ResourceType.UNKNOWN, "resourceType"),
        (acl.pattern_type is PatternType.UNKNOWN, "patternType"),
        (acl.operation is Operation.UNKNOWN, "operation"),
        (acl.permission is Permission.UNKNOWN, "permissionType"),
    ):
        if is_unknown:
            return _refusal(f"Invalid {what} UNKNOWN")
    try:
        parse_principal(acl.principal)
    except ValueError:
        return _refusal(
            f"Could not parse principal from `{acl.principal}` (no colon is present separating "
            "the principal type from the principal name)"
        )
    return None


def _unknown(acl_filter: AclFilter) -> ApiError | None:
    if acl_filter.has_unknown_pattern:
        return _refusal("Unknown patternFilter.")
    if acl_filter.has_unknown_entry:
        return _refusal("Unknown entryFilter.")
    return None


def _refusal(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
