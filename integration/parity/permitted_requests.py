"""Random programs of changed requests of a user with a few permissions: a seed determines each.

A step permits or denies an operation, or sends a request. The programs find what a system reveals
to a user, and the order of its checks.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from broker.security.resource import CLUSTER_NAME, Operation, ResourceType
from integration.parity.acls import ALLOW, DENY, LITERAL, PREFIXED, Acl
from integration.parity.changed_requests import ChangedRequest, changed_request
from integration.parity.comparison import Program
from integration.parity.every_api import Names

O = Operation  # noqa: E741 - short, because each line has several
R = ResourceType
REQUESTS = 8
_PERMITTED_MAX = 5  # at the begin
_ON_TOPICS = (
    *(O.ALL, O.READ, O.WRITE, O.CREATE, O.DELETE, O.ALTER, O.DESCRIBE),
    *(O.DESCRIBE_CONFIGS, O.ALTER_CONFIGS),
)
_ON_GROUPS = (O.ALL, O.READ, O.DELETE, O.DESCRIBE, O.DESCRIBE_CONFIGS, O.ALTER_CONFIGS)
_ON_CLUSTER = (
    *(O.ALL, O.CREATE, O.ALTER, O.DESCRIBE, O.CLUSTER_ACTION, O.DESCRIBE_CONFIGS),
    *(O.ALTER_CONFIGS, O.IDEMPOTENT_WRITE),
)
_ON_TRANSACTIONS = (O.ALL, O.WRITE, O.DESCRIBE)
_KINDS = (R.TOPIC, R.TOPIC, R.TOPIC, R.GROUP, R.GROUP, R.TRANSACTIONAL_ID, R.CLUSTER)
_OPERATIONS = {
    R.TOPIC: _ON_TOPICS,
    R.GROUP: _ON_GROUPS,
    R.CLUSTER: _ON_CLUSTER,
    R.TRANSACTIONAL_ID: _ON_TRANSACTIONS,
}


class Permitted(NamedTuple):
    """One step: an entry for the user."""

    seed: int

    def acl(self, names: Names) -> Acl:
        """The entry."""
        chance = Random(self.seed)
        kind = chance.choice(_KINDS)
        operation = chance.choice(_OPERATIONS[kind])
        name = chance.choice(_resources(names)[kind])
        is_prefix = kind != R.CLUSTER and chance.random() < 0.2
        return Acl(
            operation,
            kind,
            name.rpartition("-")[0] if is_prefix and "-" in name else name,
            PREFIXED if is_prefix else LITERAL,
            DENY if chance.random() < 0.15 else ALLOW,
            chance.choice(("*", "*", "*", "127.0.0.1", "192.0.2.1")),
        )


Step = Permitted | ChangedRequest


def permitted_requests(seed: int) -> Program[Step]:
    """The program with a seed."""
    random = Random(seed)
    steps: list[Step] = [_permitted(random) for _ in range(random.randint(0, _PERMITTED_MAX))]
    for _ in range(REQUESTS):
        if random.random() < 0.3:
            steps.append(_permitted(random))
        steps.append(changed_request(random))
    return Program(seed, tuple(steps))


def _permitted(random: Random) -> Permitted:
    return Permitted(random.randrange(1 << 30))


def _resources(names: Names) -> dict[R, tuple[str, ...]]:
    """The names that requests have, by type; the usual one first and most often."""
    return {
        R.TOPIC: (names.topic, names.topic, names.topic, f"{names.topic}-2", names.new, "*"),
        R.GROUP: (
            *(names.group, names.group, names.share_group, names.share_group),
            *(names.streams_group, names.topic, "*"),
        ),
        R.CLUSTER: (CLUSTER_NAME,),
        R.TRANSACTIONAL_ID: (names.transactional_id, names.transactional_id, names.group, "*"),
    }
