"""The part of the controller that changes who may do what."""

from __future__ import annotations

from broker.controller.database.store import ControllerStore
from broker.security.acl.binding import AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import finish
from tests.broker.controller.nodes import make_controller

ACL = AclBinding(
    ResourceType.TOPIC,
    PatternType.LITERAL,
    "t",
    "User:a",
    "*",
    Operation.READ,
    Permission.ALLOW,
)


def test_a_controller_changes_acls() -> None:
    """They are in its image."""
    controller = make_controller(ControllerStore(None))

    finish(controller.security.acls.create([ACL]))

    assert list(controller.image.acls) == [ACL]
    controller.close()
