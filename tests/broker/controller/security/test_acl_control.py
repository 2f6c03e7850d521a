"""Creation and deletion of ACLs by the controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import ControllerStore
from broker.controller.security.acl_control import AclControl
from broker.security.acl.binding import AclBinding
from broker.security.acl.filter import AclFilter
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import RecordingNode

ACL = AclBinding(
    ResourceType.TOPIC,
    PatternType.LITERAL,
    "t",
    "User:a",
    "*",
    Operation.READ,
    Permission.ALLOW,
)
ALL = AclFilter(ResourceType.ANY, PatternType.ANY, None, None, None, Operation.ANY, Permission.ANY)


def control(path: Path | None = None) -> tuple[AclControl, ClusterState]:
    """ACLs of a cluster, and its state."""
    state = ClusterState(ControllerStore(path), Config())
    return AclControl(state), state


def create(acls: AclControl, *bindings: AclBinding) -> list[ApiError | None]:
    """Create ACLs in one step."""
    return finish(acls.create(bindings))


def delete(acls: AclControl, *filters: AclFilter) -> list[list[AclBinding] | ApiError]:
    """Delete ACLs in one step."""
    return finish(acls.delete(filters))


def test_a_created_acl_is_on_every_node() -> None:
    """Also on one that registers later."""
    acls, state = control()
    early = state.subscribe(1, RecordingNode())
    early.release()

    assert create(acls, ACL) == [None]

    late = state.subscribe(2, RecordingNode())
    late.release()
    for image in (state.image, early.image, late.image):
        assert list(image.acls) == [ACL]
        assert image.acls.id_of(ACL) == state.image.acls.id_of(ACL)


def test_acls_survive_a_restart(tmp_path: Path) -> None:
    """With their ids."""
    acls, state = control(tmp_path / "controller.db")
    other = ACL._replace(name="u", permission=Permission.DENY, pattern_type=PatternType.PREFIXED)
    create(acls, ACL, other)
    ids = dict(state.image.acls.by_id)
    state.close()

    _, again = control(tmp_path / "controller.db")

    assert again.image.acls.by_id == ids
    again.close()


def test_an_acl_is_stored_once() -> None:
    """Whether it is twice in a request or in two requests."""
    acls, state = control()

    assert create(acls, ACL, ACL) == [None, None]
    assert create(acls, ACL) == [None]

    assert list(state.image.acls) == [ACL]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resource_type": ResourceType.UNKNOWN}, "Invalid resourceType UNKNOWN"),
        ({"pattern_type": PatternType.UNKNOWN}, "Invalid patternType UNKNOWN"),
        ({"operation": Operation.UNKNOWN}, "Invalid operation UNKNOWN"),
        ({"permission": Permission.UNKNOWN}, "Invalid permissionType UNKNOWN"),
        (
            {"resource_type": ResourceType.CLUSTER, "name": ""},
            "The only valid name for the CLUSTER resource is kafka-cluster",
        ),
        ({"name": "", "operation": Operation.UNKNOWN}, "Invalid empty resource name"),
        (
            {"principal": "bob"},
            (
                "Could not parse principal from `bob` (no colon is present separating the "
                "principal type from the principal name)"
            ),
        ),
    ],
)
def test_an_invalid_acl_is_refused_and_the_others_are_created(
    changes: dict[str, object], message: str
) -> None:
    """Each has its own result."""
    acls, state = control()
    invalid = ACL._replace(**changes)  # type: ignore[arg-type]  # of any field

    [error, none] = create(acls, invalid, ACL)

    assert isinstance(error, ApiError)
    assert (error.code, error.message, none) == (ErrorCode.INVALID_REQUEST, message, None)
    assert list(state.image.acls) == [ACL]


@pytest.mark.parametrize(
    "changes",
    [
        {"principal": ":x"},
        {"principal": "User:"},
        {"host": "any text"},
        {"name": "not/a topic"},
        {"operation": Operation.IDEMPOTENT_WRITE},
        {
            "resource_type": ResourceType.CLUSTER,
            "name": "kafka-cluster",
            "pattern_type": PatternType.PREFIXED,
        },
    ],
)
def test_an_acl_without_effect_is_accepted(changes: dict[str, object]) -> None:
    """Kafka does not validate these values."""
    acls, _ = control()

    assert create(acls, ACL._replace(**changes)) == [None]  # type: ignore[arg-type]  # of any field


def test_too_many_new_acls_are_refused() -> None:
    """The limit is for new ones: an existing one does not count."""
    acls, state = control()
    many = [ACL._replace(name=f"t{number}") for number in range(10_001)]

    with pytest.raises(ApiError) as refusal:
        create(acls, *many)
    assert refusal.value.code is ErrorCode.POLICY_VIOLATION
    assert not list(state.image.acls)

    create(acls, many[0])
    assert not any(create(acls, *many))
    with pytest.raises(ApiError, match="Cannot remove more than 10000 acls") as refusal:
        delete(acls, ALL)
    assert refusal.value.code is ErrorCode.INVALID_REQUEST
    assert len(state.image.acls) == 10_001


def test_each_filter_has_the_acls_that_it_matches() -> None:
    """An ACL that two filters match is in both results, and removed once."""
    acls, state = control()
    other = ACL._replace(name="u")
    create(acls, ACL, other)

    assert delete(acls, ALL._replace(name="t"), ALL) == [[ACL], [ACL, other]]

    assert not list(state.image.acls)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resource_type": ResourceType.UNKNOWN}, "Unknown patternFilter."),
        ({"permission": Permission.UNKNOWN}, "Unknown entryFilter."),
    ],
)
def test_an_unknown_filter_is_refused_and_the_others_apply(
    changes: dict[str, object], message: str
) -> None:
    """Each has its own result."""
    acls, _ = control()
    create(acls, ACL)

    [error, removed] = delete(acls, ALL._replace(**changes), ALL)  # type: ignore[arg-type]  # of any field

    assert isinstance(error, ApiError)
    assert (error.code, error.message) == (ErrorCode.INVALID_REQUEST, message)
    assert removed == [ACL]


def test_two_requests_may_change_the_same_acl_at_the_same_time() -> None:
    """The slices of one alternate with those of the other."""
    acls, state = control()
    creations = [acls.create([ACL]), acls.create([ACL])]
    for slices in creations:
        next(slices)
    for slices in creations:
        finish(slices)
    assert list(state.image.acls) == [ACL]

    deletions = [acls.delete([ALL]), acls.delete([ALL])]
    for deletion in deletions:
        next(deletion)
    for deletion in deletions:
        finish(deletion)
    assert not list(state.image.acls)
