"""Every request in every state of a transactional id, with four identities of its producer.

The scenarios of integration/parity/scenarios/misplaced_requests.py compare the same with Kafka.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.errors import ErrorCode
from tests.broker.transactions.world import B, World

STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")
# The difference of a producer's id and epoch from the present ones.
IDENTITIES = {"present": (0, 0), "earlier": (0, -1), "later": (0, 1), "foreign": (7, 0)}
REQUESTS: dict[str, Callable[[World, tuple[int, int]], ErrorCode]] = {
    "init": lambda world, own: world.init(own)[0].error,
    "old add": lambda world, own: world.add(own, B, client_version=0)[0],
    "new add": lambda world, own: world.add(own, B)[0],
    "verify": lambda world, own: world.verify(own, B)[B],
    "old commit": lambda world, own: world.end(own, client_version=0)[0].error,
    "old abort": lambda world, own: world.end(own, commit=False, client_version=0)[0].error,
    "new commit": lambda world, own: world.end(own)[0].error,
    "new abort": lambda world, own: world.end(own, commit=False)[0].error,
}
# The error codes of the states in order.
TABLE = """\
init        present     0   51   51   51    0    0
init        earlier    90   51   51   51    0    0
init        later      90   51   51   51   90   90
init        foreign    90   90   51   51   90   90
old add     present     0    0   51   51    0    0
old add     earlier    90   90   51   51   90   90
old add     later      90   90   51   51   90   90
old add     foreign    49   49   51   51   49   49
new add     present     0    0   51   51    0    0
new add     earlier    90   90   51   51   90   90
new add     later      90   90   51   51   90   90
new add     foreign    49   49   51   51   49   49
verify      present   120  120   51   51  120  120
verify      earlier    90   90   90   90   90   90
verify      later      90   90   90   90   90   90
verify      foreign    49   49   49   49   49   49
old commit  present    48    0   51   51    0   48
old commit  earlier    90   90   90   90   90   90
old commit  later      90   90   90   90   90   90
old commit  foreign    49   49   49   49   49   49
old abort   present    48    0   51   51   48    0
old abort   earlier    90   90   90   90   90   90
old abort   later      90   90   90   90   90   90
old abort   foreign    49   49   49   49   49   49
new commit  present    48    0   51   51   48   48
new commit  earlier    90   90   51   51    0   48
new commit  later      90   90   51   51   90   90
new commit  foreign    49   49   51   51   49   49
new abort   present     0    0   51   51    0    0
new abort   earlier    90   90   51   51   48    0
new abort   later      90   90   51   51   90   90
new abort   foreign    49   49   51   51   49   49
"""
ROWS = [line.rsplit(maxsplit=1 + len(STATES)) for line in TABLE.splitlines()]


def in_state(state: str) -> World:
    """A transactional id in that state; its first session has ended."""
    world = World()
    world.init()
    world.init()
    if state != "Empty":
        world.add((0, 1))
    if state.endswith(("Commit", "Abort")):
        world.end((0, 1), commit=state.endswith("Commit"))
    if state.startswith("Complete"):
        world.write_markers()
    assert world.value.state.label == state
    return world


@pytest.mark.parametrize(("request_name", "identity", "codes"), [(r[0], r[1], r[2:]) for r in ROWS])
def test_a_request_has_the_error_of_the_state(
    request_name: str, identity: str, codes: list[str]
) -> None:
    """And no transaction is left: the id can be initialised."""
    other_id, other_epoch = IDENTITIES[identity]
    errors = []
    for state in STATES:
        world = in_state(state)
        own = (world.value.producer_id + other_id, world.value.producer_epoch + other_epoch)
        errors.append(REQUESTS[request_name](world, own))
        world.write_markers()
        world.init()
        world.write_markers()
        assert world.init()[0].error is ErrorCode.NONE
        assert (world.value.state.label, world.coordinator.states.ongoing) == ("Empty", {})

    assert errors == [ErrorCode(int(code)) for code in codes]


def test_every_request_has_a_row_for_each_identity() -> None:
    """No combination is missing."""
    assert [row[:2] for row in ROWS] == [[name, each] for name in REQUESTS for each in IDENTITIES]
