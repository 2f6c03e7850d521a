"""Every request of a transactional producer in every state of its transactional id.

Each is sent with the present identity, with an earlier and a later epoch, and with a foreign
producer id, to an id of its own. After it the id can be initialised, and no transaction is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.coordinators import (
    OTHER,
    PAUSED,
    keep_state_away_from_the_paused_node,
    prepare,
)
from integration.parity.requests import fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import BRIEF
from integration.parity.transaction_player import error_codes
from integration.parity.transaction_requests import (
    Identity,
    add_in_batch,
    add_offsets,
    add_partitions,
    commit_in_txn,
    describe_transactions,
    end_txn,
    in_batch,
    init_producer_id,
    transactional_batch,
)
from integration.parity.transactional_producer import Producer
from protocol.errors import ErrorCode

_GROUP = "misplaced"
_FOREIGN_ID = 900_000_000
_Send = Callable[[str, Identity, str], tuple[Any, int]]


def _produce(version: int) -> _Send:
    def requested(name: str, identity: Identity, topic: str) -> tuple[Any, int]:
        batch = transactional_batch(identity, 0, "misplaced")
        return produce(topic, batch, transactional_id=name), version

    return requested


def _added(*, verify: bool) -> _Send:
    def requested(name: str, identity: Identity, topic: str) -> tuple[Any, int]:
        return add_in_batch(in_batch(name, identity, {topic: [0]}, verify=verify)), 5

    return requested


def _offset(version: int) -> _Send:
    def requested(name: str, identity: Identity, topic: str) -> tuple[Any, int]:
        return commit_in_txn(name, identity, _GROUP, topic, {0: 1}), version

    return requested


def _end(version: int, *, commit: bool) -> _Send:
    return lambda name, identity, _: (end_txn(name, identity, commit=commit), version)


_REQUESTS: dict[str, _Send] = {
    "init": lambda name, identity, _: (init_producer_id(name, known=identity), 5),
    "old addition": lambda name, identity, topic: (
        add_partitions(name, identity, {topic: [0]}),
        3,
    ),
    "new addition": _added(verify=False),
    "verification": _added(verify=True),
    "addition of offsets": lambda name, identity, _: (add_offsets(name, identity, _GROUP), 4),
    "old produce": _produce(11),
    "new produce": _produce(12),
    "old offset": _offset(4),
    "new offset": _offset(5),
    "old commit": _end(4, commit=True),
    "old abort": _end(4, commit=False),
    "new commit": _end(5, commit=True),
    "new abort": _end(5, commit=False),
}


@scenario()
def requests_of_unknown_ids(kafka: Kafka) -> Observations:
    """Requests of a transactional id that does not exist create no transaction."""
    yield from _in_state(kafka, _unknown)


@scenario()
def requests_without_a_transaction(kafka: Kafka) -> Observations:
    """Each request of a new session, with present, earlier, later and foreign identities."""
    yield from _in_state(kafka, _empty)


@scenario()
def requests_in_an_open_transaction(kafka: Kafka) -> Observations:
    """Each request in a transaction, with present, earlier, later and foreign identities."""
    yield from _in_state(kafka, _ongoing)


@scenario()
def requests_after_a_commit(kafka: Kafka) -> Observations:
    """Each request after a commit, with present, earlier, later and foreign identities."""
    yield from _in_state(kafka, lambda kafka, topic: _complete(kafka, topic, commit=True))


@scenario()
def requests_after_an_abort(kafka: Kafka) -> Observations:
    """Each request after an abort, with present, earlier, later and foreign identities."""
    yield from _in_state(kafka, lambda kafka, topic: _complete(kafka, topic, commit=False))


@scenario(on=BRIEF, alone=True)
def requests_while_markers_are_written(kafka: Kafka) -> Observations:
    """Each request after the decision and before the markers; none changes the transaction."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    slow, beside = kafka.topic(replicas=(OTHER, PAUSED)), kafka.topic()
    for commit in (True, False):
        producer = Producer(kafka)
        producer.deliver(slow, "a", node=OTHER)
        kafka.pause(PAUSED)
        yield producer.end(commit=commit)
        for name, identity, requested in _requests(producer, beside):
            yield name, identity, _errors(kafka, *requested)
        yield producer.describe()
        kafka.resume(PAUSED)
        yield producer.settle()
    yield _is_stable(kafka, beside)


def _in_state(kafka: Kafka, begin: Callable[[Kafka, str], Producer]) -> Iterator[object]:
    topic = kafka.topic()
    number = len(list(_requests(begin(kafka, topic), topic)))
    producers = [begin(kafka, topic) for _ in range(number)]
    for index, producer in enumerate(producers):
        name, identity, requested = list(_requests(producer, topic))[index]
        errors = _errors(kafka, *requested)
        described = kafka.request(describe_transactions(producer.transactional_id))
        (found,) = described.transaction_states
        # The state after a decision depends on the time of its markers.
        yield name, identity, errors, found.transaction_state.replace("Prepare", "Complete")
    for producer in producers:
        _initialise(kafka, producer)
    eventually(lambda: _is_stable(kafka, topic), f"no open transaction in {topic}")


def _requests(producer: Producer, topic: str) -> Iterator[tuple[str, str, tuple[Any, int]]]:
    """The name of each request, that of its identity, and the request with its version."""
    producer_id, epoch = producer.identity
    identities = {
        "present": producer.identity,
        "earlier": Identity(producer_id, epoch - 1),
        "later": Identity(producer_id, epoch + 1),
        "foreign": Identity(_FOREIGN_ID, epoch),
    }
    for name, build in _REQUESTS.items():
        for kind, identity in identities.items():
            yield name, kind, build(producer.transactional_id, identity, topic)


def _errors(kafka: Kafka, request: Any, version: int) -> str:
    """The errors of a response."""
    codes = set(error_codes(kafka.request(request, version)))
    return " and ".join(sorted(ErrorCode(code).name for code in codes))


def _initialise(kafka: Kafka, producer: Producer) -> None:
    requested = init_producer_id(producer.transactional_id)

    def is_initialised() -> bool:
        return bool(kafka.request(requested).error_code == ErrorCode.NONE)

    eventually(is_initialised, f"a session of {producer.transactional_id}")


def _is_stable(kafka: Kafka, topic: str) -> bool:
    """Whether no transaction is open."""
    (found,) = kafka.request(fetch(topic, max_wait_ms=0)).responses[0].partitions
    return bool(found.last_stable_offset == found.high_watermark)


def _unknown(kafka: Kafka, _: str) -> Producer:
    producer = Producer(kafka, init=False)
    producer.identity = Identity(_FOREIGN_ID + 1, 1)
    return producer


def _empty(kafka: Kafka, _: str) -> Producer:
    producer = Producer(kafka)
    producer.init()
    return producer


def _ongoing(kafka: Kafka, topic: str) -> Producer:
    producer = _empty(kafka, topic)
    producer.deliver(topic, "a")
    return producer


def _complete(kafka: Kafka, topic: str, *, commit: bool) -> Producer:
    producer = _ongoing(kafka, topic)
    producer.complete(commit=commit)
    return producer
