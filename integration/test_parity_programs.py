"""Random programs of requests get the same responses from our broker and from Kafka."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing

import pytest
from hypothesis import HealthCheck, given, note, seed, settings

from integration.machine.seeds import seed_of_run
from integration.parity.changed_requests import changed_requests
from integration.parity.changed_requests_game import play_changed_requests
from integration.parity.client import Receiver
from integration.parity.comparison import differences, on_both
from integration.parity.formatting import Formatter
from integration.parity.group_programs import group_programs
from integration.parity.group_transaction_programs import group_transaction_programs
from integration.parity.permitted_requests import permitted_requests
from integration.parity.permitted_requests_game import play_permitted_requests
from integration.parity.programs import Player, Step, programs
from integration.parity.runner import Pair, clusters
from integration.parity.scenario import Kafka
from integration.parity.setups import ONE, SECURED
from integration.parity.streams_programs import play_streams, streams_program
from integration.parity.transaction_player import TransactionPlayer, TransactionStep
from integration.parity.transaction_programs import transaction_programs

# The number of programs; `ANTECHAMBER_PROGRAMS=5000` for a long run. Its seed is random: a failure
# prints it, and `ANTECHAMBER_SEED` sets it.
PROGRAMS = int(os.environ.get("ANTECHAMBER_PROGRAMS", "150"))
SEED = seed_of_run("ANTECHAMBER_PROGRAMS")
# The number of programs about groups. They run on demand: `integration.parity.group_programs` lists
# the known differences, and shrinking takes minutes.
GROUP_PROGRAMS = int(os.environ.get("ANTECHAMBER_GROUP_PROGRAMS", "0"))
GROUP_SEED = seed_of_run("ANTECHAMBER_GROUP_PROGRAMS")
# The number of programs about transactions.
TRANSACTION_PROGRAMS = int(os.environ.get("ANTECHAMBER_TRANSACTION_PROGRAMS", "50"))
TRANSACTION_SEED = seed_of_run("ANTECHAMBER_TRANSACTION_PROGRAMS")
# The programs about streams groups are the same in each run; `ANTECHAMBER_STREAMS_PROGRAMS` plays
# more, and `ANTECHAMBER_STREAMS_FIRST` is the seed of the first one.
STREAMS_PROGRAMS = int(os.environ.get("ANTECHAMBER_STREAMS_PROGRAMS", "20"))
STREAMS_FIRST = int(os.environ.get("ANTECHAMBER_STREAMS_FIRST", "0"))


# So are those of changed requests, and of a user with a few permissions.
REQUEST_PROGRAMS = int(os.environ.get("ANTECHAMBER_REQUEST_PROGRAMS", "40"))
REQUESTS_FIRST = int(os.environ.get("ANTECHAMBER_REQUESTS_FIRST", "0"))
PERMITTED_PROGRAMS = int(os.environ.get("ANTECHAMBER_PERMITTED_PROGRAMS", "12"))
PERMITTED_FIRST = int(os.environ.get("ANTECHAMBER_PERMITTED_FIRST", "0"))


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """The receiver of all responses."""
    with closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """Both systems."""
    with clusters([ONE]) as pairs:
        yield pairs[ONE.name]


@pytest.fixture(scope="module")
def both(pair: Pair, receiver: Receiver) -> Iterator[tuple[Kafka, Kafka]]:
    """Our broker and Kafka."""
    with ExitStack() as open_:
        ours, theirs = (
            open_.enter_context(closing(Kafka(system, receiver, "programs", Formatter())))
            for system in (pair.ours, pair.theirs)
        )
        yield ours, theirs


@pytest.fixture(scope="module")
def players(both: tuple[Kafka, Kafka]) -> tuple[Player, Player]:
    """Players of our broker and of Kafka."""
    return Player(both[0]), Player(both[1])


@pytest.fixture(scope="module")
def transaction_players(both: tuple[Kafka, Kafka]) -> tuple[TransactionPlayer, TransactionPlayer]:
    """Players of our broker and of Kafka, for programs about transactions."""
    return TransactionPlayer(both[0]), TransactionPlayer(both[1])


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
@seed(GROUP_SEED)
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
    note(f"drawn with ANTECHAMBER_SEED={GROUP_SEED}")
    ours, theirs = players
    expected = theirs.play(program)
    assert ours.play(program) == expected


@pytest.mark.kafka
@pytest.mark.skipif(not GROUP_PROGRAMS, reason="on demand: ANTECHAMBER_GROUP_PROGRAMS=100")
@pytest.mark.timeout(1200)
@seed(GROUP_SEED)
@settings(
    max_examples=max(GROUP_PROGRAMS, 1),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=group_transaction_programs())
def test_both_systems_coordinate_offsets_in_transactions_alike(
    transaction_players: tuple[TransactionPlayer, TransactionPlayer],
    program: list[TransactionStep],
) -> None:
    """A producer commits offsets for members of a group, which come and go."""
    note(f"drawn with ANTECHAMBER_SEED={GROUP_SEED}")
    ours, theirs = transaction_players
    expected = theirs.play(program)
    assert ours.play(program) == expected


@pytest.mark.kafka
@pytest.mark.timeout(1200)
@seed(TRANSACTION_SEED)
@settings(
    max_examples=TRANSACTION_PROGRAMS,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=transaction_programs())
def test_both_systems_coordinate_transactions_alike(
    transaction_players: tuple[TransactionPlayer, TransactionPlayer],
    program: list[TransactionStep],
) -> None:
    """Both protocols, with present, old and foreign identities; no transaction remains open."""
    note(f"drawn with ANTECHAMBER_SEED={TRANSACTION_SEED}")
    ours, theirs = transaction_players
    expected = theirs.play(program)
    assert ours.play(program) == expected


@pytest.mark.kafka
@pytest.mark.timeout(3600)
def test_both_systems_coordinate_streams_groups_alike(pair: Pair, receiver: Receiver) -> None:
    """Responses and records of each step are equal; a program with a difference is shrunk."""
    seeds = range(STREAMS_FIRST, STREAMS_FIRST + STREAMS_PROGRAMS)
    found = differences(on_both(pair, receiver, play_streams), map(streams_program, seeds))
    assert not found, _shown(found)


@pytest.mark.kafka
@pytest.mark.timeout(3600)
def test_both_systems_respond_alike_to_changed_requests(pair: Pair, receiver: Receiver) -> None:
    """And the changes of the topic and the group are the same."""
    seeds = range(REQUESTS_FIRST, REQUESTS_FIRST + REQUEST_PROGRAMS)
    play = on_both(pair, receiver, play_changed_requests)
    found = differences(play, map(changed_requests, seeds))
    assert not found, _shown(found)


@pytest.mark.jvm
@pytest.mark.timeout(3600)
def test_both_systems_respond_alike_to_a_user_with_few_permissions(receiver: Receiver) -> None:
    """Random requests of all APIs; the order of the checks is the same, and what they hide."""
    seeds = range(PERMITTED_FIRST, PERMITTED_FIRST + PERMITTED_PROGRAMS)
    with clusters([SECURED]) as pairs:
        play = on_both(pairs[SECURED.name], receiver, play_permitted_requests)
        found = differences(play, map(permitted_requests, seeds))
    assert not found, _shown(found)


def _shown(found: Iterable[object]) -> str:
    return "\n\n".join(map(str, found))


def test_streams_programs_have_every_kind_of_step() -> None:
    """The programs of the suite are enough for that."""
    names = {step.name for seed in range(20) for step in streams_program(seed).steps}
    assert len(names) == 19
