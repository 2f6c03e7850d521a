"""Random programs of requests get the same responses from our broker and from Kafka."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from random import randrange

import pytest
from hypothesis import HealthCheck, given, note, seed, settings

from integration.parity.client import Receiver
from integration.parity.formatting import Formatter
from integration.parity.group_programs import group_programs
from integration.parity.programs import Player, Step, programs
from integration.parity.runner import clusters
from integration.parity.scenario import Kafka
from integration.parity.setups import ONE

# The number of programs; `ANTECHAMBER_PROGRAMS=5000` for a long run.
PROGRAMS = int(os.environ.get("ANTECHAMBER_PROGRAMS", "150"))
# The number of programs about groups. They run on demand: `integration.parity.group_programs` lists
# the known differences, and shrinking takes minutes.
GROUP_PROGRAMS = int(os.environ.get("ANTECHAMBER_GROUP_PROGRAMS", "0"))
# The seed of the programs: a failure prints it, `ANTECHAMBER_SEED` sets it.
SEED = int(os.environ.get("ANTECHAMBER_SEED") or randrange(1 << 32))


@pytest.fixture(scope="module")
def players() -> Iterator[tuple[Player, Player]]:
    """Players of our broker and of Kafka."""
    with closing(Receiver()) as receiver, clusters([ONE]) as pairs, ExitStack() as open_:
        both = [
            open_.enter_context(closing(Kafka(system, receiver, "programs", Formatter())))
            for system in (pairs[ONE.name].ours, pairs[ONE.name].theirs)
        ]
        yield Player(both[0]), Player(both[1])


@pytest.mark.kafka
@pytest.mark.timeout(1200)
@seed(SEED)
@settings(
    max_examples=PROGRAMS,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=programs())
def test_both_systems_give_the_same_responses(
    players: tuple[Player, Player], program: list[Step]
) -> None:
    """The order of requests is random; the first failing program is shrunk."""
    note(f"drawn with ANTECHAMBER_SEED={SEED}")
    ours, theirs = players
    expected = theirs.play(program)
    assert ours.play(program) == expected


@pytest.mark.kafka
@pytest.mark.skipif(not GROUP_PROGRAMS, reason="on demand: ANTECHAMBER_GROUP_PROGRAMS=100")
@pytest.mark.timeout(1200)
@seed(SEED)
@settings(
    max_examples=max(GROUP_PROGRAMS, 1),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=group_programs())
def test_both_systems_coordinate_a_group_alike(
    players: tuple[Player, Player], program: list[Step]
) -> None:
    """Members of both protocols, with their own and with foreign ids, epochs and instances."""
    note(f"drawn with ANTECHAMBER_SEED={SEED}")
    ours, theirs = players
    expected = theirs.play(program)
    assert ours.play(program) == expected
