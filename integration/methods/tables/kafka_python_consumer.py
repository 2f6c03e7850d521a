"""The table of kafka-python's KafkaConsumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

from integration.machine.deadlines import eventually
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called

WITHIN_MS = 60_000


def _make(on: Fixtures, settings: Mapping[str, Any]) -> KafkaConsumer:
    base = {
        "bootstrap_servers": on.bootstrap,
        "client_id": on.client_id,
        "group_id": on.named("group"),
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
    }
    return KafkaConsumer(**base | dict(settings))


def _close(consumer: KafkaConsumer) -> None:
    consumer.close()


class _Listener(ConsumerRebalanceListener):
    """Keeps the arguments of its callbacks."""

    def __init__(self) -> None:
        self.reported: list[Any] = []

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.reported.append(("assigned", sorted(assigned)))

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.reported.append(("revoked", sorted(revoked)))


def _first(on: Fixtures) -> TopicPartition:
    return TopicPartition(on.topic, 0)


def _assigned(consumer: Any, on: Fixtures) -> Any:
    consumer.assign([_first(on)])
    return consumer


def _values(polled: Mapping[Any, Any]) -> Any:
    return [(each.offset, each.value) for records in polled.values() for each in records]


def _reading(consumer: Any, on: Fixtures) -> Any:
    """Assign the first partition, and read its records."""
    return _values(_assigned(consumer, on).poll(WITHIN_MS))


def _joined(consumer: Any, on: Fixtures, **how: Any) -> Any:
    """Subscribe, and poll until there are records, by which time partitions are assigned."""
    consumer.subscribe(**how or {"topics": [on.topic]})
    return _values(consumer.poll(WITHIN_MS)), sorted(consumer.assignment())


def _listened(consumer: Any, on: Fixtures) -> Any:
    listener = _Listener()
    _joined(consumer, on, topics=[on.topic], listener=listener)
    # A client that joins before it knows the topic gets no partitions at first.
    return listener.reported[0], listener.reported[-1]


def _committed(consumer: Any, on: Fixtures, *args: Any, **kwargs: Any) -> Any:
    _reading(consumer, on)
    return consumer.commit(*args, **kwargs), consumer.committed(_first(on))


def _committed_later(consumer: Any, on: Fixtures, **how: Any) -> Any:
    _reading(consumer, on)
    future = consumer.commit_async(**how)
    eventually(lambda: consumer.poll(10) or future.is_done, "the commit")
    return future.succeeded(), consumer.committed(_first(on))


def _called_back(consumer: Any, on: Fixtures) -> Any:
    reported: list[Any] = []
    _committed_later(
        consumer,
        on,
        offsets={_first(on): OffsetAndMetadata(1, "of mine", -1)},
        callback=lambda offsets, outcome: reported.append((offsets, outcome)),
    )
    eventually(lambda: consumer.poll(10) or reported, "the callback")
    return reported


def _paused(consumer: Any, on: Fixtures) -> Any:
    _reading(consumer, on)
    consumer.seek(_first(on), 0)
    return consumer.pause(_first(on)), consumer.paused(), consumer.poll(200)


def _resumed(consumer: Any, on: Fixtures) -> Any:
    _paused(consumer, on)
    return consumer.resume(_first(on)), consumer.paused(), _values(consumer.poll(WITHIN_MS))


def _sought(consumer: Any, on: Fixtures, offset: int) -> Any:
    _reading(consumer, on)
    return consumer.seek(_first(on), offset), _values(consumer.poll(WITHIN_MS))


def _positions(consumer: Any, on: Fixtures, **options: Any) -> Any:
    before = _assigned(consumer, on).position(_first(on), **options)
    consumer.poll(WITHIN_MS)
    return before, consumer.position(_first(on), **options)


def _at_the_end(consumer: Any, on: Fixtures, *partitions: Any) -> Any:
    _assigned(consumer, on).seek_to_end(*partitions)
    return consumer.position(_first(on))


def _at_the_beginning(consumer: Any, on: Fixtures, *partitions: Any) -> Any:
    _reading(consumer, on)
    consumer.seek_to_beginning(*partitions)
    return consumer.position(_first(on))


NET = MethodTable(
    library="kafka-python",
    of=KafkaConsumer,
    make=_make,
    close=_close,
    methods={
        "assign": called(
            defaults=_reading,
            nothing=lambda consumer, _: (consumer.assign([]), consumer.assignment()),
            absent_topic=lambda consumer, on: (
                consumer.assign([TopicPartition(on.absent, 0)]),
                consumer.assignment(),
            ),
        ),
        "assignment": called(
            defaults=lambda consumer, on: (consumer.assignment(), _joined(consumer, on))
        ),
        "beginning_offsets": called(
            defaults=lambda consumer, on: consumer.beginning_offsets([_first(on)]),
            timeout=lambda consumer, on: consumer.beginning_offsets(
                [TopicPartition(on.topic, 1)], timeout_ms=WITHIN_MS
            ),
            absent_topic=lambda consumer, on: consumer.beginning_offsets(
                [TopicPartition(on.absent, 0)], timeout_ms=WITHIN_MS
            ),
        ),
        "bootstrap": called(
            defaults=lambda consumer, _: consumer.bootstrap(),
            refresh=lambda consumer, _: consumer.bootstrap(timeout_ms=WITHIN_MS, refresh=True),
        ),
        "bootstrap_connected": called(
            defaults=lambda consumer, on: (
                consumer.topics() is None or consumer.bootstrap_connected()
            )
        ),
        "close": called(
            defaults=lambda consumer, on: (_joined(consumer, on), consumer.close())[1],
            without_commit=lambda consumer, on: (
                _joined(consumer, on),
                consumer.close(autocommit=False, timeout_ms=WITHIN_MS),
            )[1],
            unused=lambda consumer, _: consumer.close(),
        ),
        "commit": called(
            defaults=_committed,
            offsets=lambda consumer, on: _committed(
                consumer, on, {_first(on): OffsetAndMetadata(1, "of mine", -1)}
            ),
            timeout=lambda consumer, on: _committed(consumer, on, timeout_ms=WITHIN_MS),
            long_metadata=lambda consumer, on: consumer.commit(
                {_first(on): OffsetAndMetadata(1, "x" * 5000, -1)}
            ),
        ),
        "commit_async": called(defaults=_committed_later, callback=_called_back),
        "committed": called(
            defaults=lambda consumer, on: consumer.committed(_first(on)),
            metadata=lambda consumer, on: consumer.committed(
                _first(on), metadata=True, timeout_ms=WITHIN_MS
            ),
            none=lambda consumer, on: consumer.committed(TopicPartition(on.topic, 1)),
        ).given("group"),
        "end_offsets": called(
            defaults=lambda consumer, on: consumer.end_offsets([_first(on)]),
            timeout=lambda consumer, on: consumer.end_offsets(
                [TopicPartition(on.topic, 1)], timeout_ms=WITHIN_MS
            ),
        ),
        "group_metadata": called(defaults=lambda consumer, _: consumer.group_metadata()),
        "highwater": called(
            defaults=lambda consumer, on: (
                _reading(consumer, on),
                consumer.highwater(_first(on)),
            )
        ),
        "metrics": called(
            defaults=lambda consumer, _: bool(consumer.metrics()),
            raw=lambda consumer, _: bool(consumer.metrics(raw=True)),
        ),
        "offsets_for_times": called(
            defaults=lambda consumer, on: consumer.offsets_for_times({_first(on): on.times_ms[1]}),
            timeout=lambda consumer, on: consumer.offsets_for_times(
                {_first(on): on.times_ms[2] + 1}, timeout_ms=WITHIN_MS
            ),
        ),
        "partitions_for_topic": called(
            defaults=lambda consumer, on: consumer.partitions_for_topic(on.topic),
            absent=lambda consumer, on: consumer.partitions_for_topic(on.absent),
        ),
        "pause": called(defaults=_paused),
        "paused": called(defaults=lambda consumer, _: consumer.paused()),
        "poll": called(
            defaults=lambda consumer, on: _assigned(consumer, on).poll() is not None,
            timeout=_reading,
            some=lambda consumer, on: _values(
                _assigned(consumer, on).poll(WITHIN_MS, max_records=1)
            ),
            no_update=lambda consumer, on: (
                _values(_assigned(consumer, on).poll(WITHIN_MS, update_offsets=False)),
                consumer.position(_first(on)),
            ),
        ),
        "position": called(
            defaults=_positions,
            timeout=lambda consumer, on: _positions(consumer, on, timeout_ms=WITHIN_MS),
        ),
        "resume": called(defaults=_resumed),
        "seek": called(
            defaults=lambda consumer, on: _sought(consumer, on, 1),
            beyond_the_end=lambda consumer, on: _sought(consumer, on, 99),
        ),
        "seek_to_beginning": called(
            defaults=_at_the_beginning,
            of_one=lambda consumer, on: _at_the_beginning(consumer, on, _first(on)),
        ),
        "seek_to_end": called(
            defaults=_at_the_end, of_one=lambda consumer, on: _at_the_end(consumer, on, _first(on))
        ),
        "subscribe": called(
            defaults=_joined,
            pattern=lambda consumer, on: _joined(consumer, on, pattern=f"^{on.topic}.*"),
            listener=_listened,
            static_member=lambda _, on: _joined(on.make(group_instance_id="me"), on),
            without_a_group=lambda _, on: _joined(on.make(group_id=None), on),
        ),
        "subscription": called(
            defaults=lambda consumer, on: (
                consumer.subscription(),
                consumer.subscribe([on.topic]),
                consumer.subscription(),
            )
        ),
        "topics": called(defaults=lambda consumer, on: on.mine(consumer.topics())).given("topic"),
        "unsubscribe": called(
            defaults=lambda consumer, on: (
                _joined(consumer, on),
                consumer.unsubscribe(),
                consumer.assignment(),
            )
        ),
    },
)
