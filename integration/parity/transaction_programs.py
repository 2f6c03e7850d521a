"""Random programs about one transactional id, with its transactions, records and offsets.

Requests have versions of both protocols. Most of them have the latest identity, others an
earlier or a foreign one, or another epoch, so that many requests are valid and many nearly valid.
"""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st

from integration.parity.programs import PARTITIONS
from integration.parity.transaction_player import TransactionStep
from integration.parity.transaction_requests import TIMEOUT_MS
from integration.parity.transaction_steps import (
    Add,
    AddOffsets,
    Choice,
    CommitOffset,
    Committed,
    Describe,
    End,
    Init,
    Produce,
    Read,
)
from integration.parity.weighted import weighted

_PARTS_MIN, _PARTS_MAX = 4, 16
_LATEST, _PREVIOUS = Choice(back=0, epoch_change=0), Choice(back=1, epoch_change=0)
_ABSENT = "there-is-no-such-topic"
_INTERNAL = "__consumer_offsets"
_ABSENT_PARTITION = 1000
_TOO_LONG_MS = 900_001  # transaction.max.timeout.ms is 900 000


def transaction_programs() -> st.SearchStrategy[list[TransactionStep]]:
    """Programs that begin with InitProducerId, which may fail because of its timeout."""
    parts = st.lists(_parts(), min_size=_PARTS_MIN, max_size=_PARTS_MAX)
    return st.builds(
        lambda first, rest: [first, *chain.from_iterable(rest)], _inits(st.none()), parts
    )


def _parts() -> st.SearchStrategy[list[TransactionStep]]:
    """One step of any kind, or usual steps of a transaction in one of the protocols."""
    latest, previous = st.just(_LATEST), st.just(_PREVIOUS)
    added = st.sampled_from(((0,), (1,), (0, 1)))
    old: tuple[st.SearchStrategy[TransactionStep], ...] = (
        st.builds(Add, st.integers(0, 3), latest, added, st.none(), st.just(False)),
        _produces(latest, 9, 11),
        st.builds(AddOffsets, st.integers(0, 4), latest),
        _offset_commits(latest, 3, 4),
        _ends(latest, 3, 4),
    )
    new = (_produces(latest, 12), _offset_commits(latest, 5), _ends(latest, 5))
    # After a response with a new identity, a retried request has the previous one.
    retried_end = (*new, _ends(previous, 5))
    retried_init = (_inits_of(latest), _inits_of(previous))
    one = st.tuples(_steps())
    return weighted(
        (
            *(one,) * 5,
            st.tuples(*old),
            st.tuples(*old[:2]),
            st.tuples(*new),
            st.tuples(*retried_end),
            st.tuples(*retried_init),
            st.tuples(new[2]),
        )
    ).map(list)


def _steps() -> st.SearchStrategy[TransactionStep]:
    identity = st.builds(
        Choice,
        st.sampled_from((0,) * 9 + (1, 1, 2, 100)),
        st.sampled_from((0,) * 9 + (-1, 1, 2)),
    )
    topic = st.sampled_from((None,) * 6 + (_ABSENT, _INTERNAL))
    partitions = st.sampled_from(((0,), (0,), (1,), (1,), (0, 1), (0, 1), (_ABSENT_PARTITION,)))
    produces = _produces(identity, 12, 11, 9)
    ends = _ends(identity, 5, 5, 4, 3, 2, 1, 0)
    kinds: tuple[st.SearchStrategy[TransactionStep], ...] = (
        st.just(Describe()),
        produces,
        produces,
        st.builds(Add, st.integers(0, 5), identity, partitions, topic, st.booleans()),
        ends,
        ends,
        _inits(st.none() | identity),
        st.builds(AddOffsets, st.integers(0, 4), identity),
        _offset_commits(identity, 5, 4, 3),
        st.builds(Read, st.booleans()),
        st.builds(Committed, st.booleans()),
    )
    return weighted(kinds)


def _inits(identity: st.SearchStrategy[Choice | None]) -> st.SearchStrategy[Init]:
    return _inits_of(identity) | st.builds(Init, st.integers(0, 2), _timeouts_ms(), st.none())


def _inits_of(identity: st.SearchStrategy[Choice | None]) -> st.SearchStrategy[Init]:
    return st.builds(Init, st.integers(3, 5), _timeouts_ms(), identity)


def _timeouts_ms() -> st.SearchStrategy[int]:
    return st.sampled_from((TIMEOUT_MS,) * 8 + (0, _TOO_LONG_MS))


def _produces(identity: st.SearchStrategy[Choice], *versions: int) -> st.SearchStrategy[Produce]:
    change = st.sampled_from((0,) * 8 + (-1, 1))
    return st.builds(Produce, st.sampled_from(versions), identity, _partitions(), change)


def _offset_commits(
    identity: st.SearchStrategy[Choice], *versions: int
) -> st.SearchStrategy[CommitOffset]:
    version = st.sampled_from(versions)
    return st.builds(CommitOffset, version, identity, _partitions(), st.integers(0, 9))


def _ends(identity: st.SearchStrategy[Choice], *versions: int) -> st.SearchStrategy[End]:
    return st.builds(End, st.sampled_from(versions), identity, st.booleans())


def _partitions() -> st.SearchStrategy[int]:
    return st.integers(0, PARTITIONS - 1)
