"""The table of confluent-kafka's Consumer (librdkafka)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, OFFSET_STORED, Consumer, TopicPartition

from integration.machine.deadlines import eventually
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called

WITHIN_S = 60


def _make(on: Fixtures, settings: Mapping[str, Any]) -> Consumer:
    base = {
        "bootstrap.servers": on.bootstrap,
        "client.id": on.client_id,
        "group.id": on.named("group"),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "log_level": 0,
    }
    return Consumer(base | dict(settings))


def _close(consumer: Consumer) -> None:
    consumer.close()


def _first(on: Fixtures, offset: int = OFFSET_BEGINNING) -> TopicPartition:
    return TopicPartition(on.topic, 0, offset)


def _reading(consumer: Any, on: Fixtures, count: int = 3) -> Any:
    """Assign the first partition, and read *count* of its records."""
    consumer.assign([_first(on, 0)])
    return consumer.consume(count, WITHIN_S)


def _joined(consumer: Any, on: Fixtures, topics: list[str] | None = None, **kwargs: Any) -> Any:
    """Subscribe, and poll until there is a record, by which time partitions are assigned."""
    consumer.subscribe(topics or [on.topic], **kwargs)
    return consumer.poll(WITHIN_S)


def _subscribed(consumer: Any, on: Fixtures, topics: list[str] | None = None) -> Any:
    reported: list[Any] = []
    record = _joined(
        consumer, on, topics, on_assign=lambda _, partitions: reported.append(sorted(partitions))
    )
    return record, reported


def _lost(consumer: Any, on: Fixtures) -> Any:
    reported: list[Any] = []
    _joined(
        *(consumer, on),
        on_assign=lambda _, partitions: reported.append(("assigned", sorted(partitions))),
        on_revoke=lambda _, partitions: reported.append(("revoked", sorted(partitions))),
        on_lost=lambda _, partitions: reported.append(("lost", sorted(partitions))),
    )
    consumer.unsubscribe()
    eventually(lambda: consumer.poll(0.01) or len(reported) > 1, "revocation")
    return reported


def _committed(consumer: Any, on: Fixtures, **kwargs: Any) -> Any:
    record = _reading(consumer, on)[1]
    given = {"message": record} if kwargs.pop("of_a_record", False) else {}
    returned = consumer.commit(**given, **kwargs)
    return returned, consumer.committed([_first(on)], WITHIN_S)


def _committed_later(consumer: Any, on: Fixtures) -> Any:
    """Commit asynchronously, and wait until the group has the offset."""
    _reading(consumer, on)
    returned = consumer.commit()
    eventually(lambda: consumer.committed([_first(on)], WITHIN_S)[0].offset == 3, "the commit")
    return returned


def _stored(consumer: Any, on: Fixtures, *, of_a_record: bool) -> Any:
    consumer.assign([_first(on, 0)])
    record = consumer.poll(WITHIN_S)
    given = {"message": record} if of_a_record else {"offsets": [_first(on, 2)]}
    return consumer.store_offsets(**given), consumer.commit(asynchronous=False)


def _sought(consumer: Any, on: Fixtures, offset: int) -> Any:
    _reading(consumer, on)
    consumer.seek(_first(on, offset))
    return consumer.poll(WITHIN_S if offset != OFFSET_END else 0.5)


def _paused(consumer: Any, on: Fixtures) -> Any:
    _reading(consumer, on, 1)
    return consumer.pause([_first(on)]), consumer.poll(0.2)


def _resumed(consumer: Any, on: Fixtures) -> Any:
    _paused(consumer, on)
    return consumer.resume([_first(on)]), consumer.poll(WITHIN_S)


def _positions(consumer: Any, on: Fixtures) -> Any:
    before = consumer.position([_first(on)])
    _reading(consumer, on, 2)
    return before, consumer.position([_first(on)])


def _assignments(consumer: Any, on: Fixtures) -> Any:
    before = consumer.assignment()
    _joined(consumer, on)
    return before, sorted(consumer.assignment())


def _added(consumer: Any, on: Fixtures) -> Any:
    consumer.incremental_assign([_first(on, 1)])
    record = consumer.poll(WITHIN_S)
    consumer.incremental_assign([TopicPartition(on.topic, 1, 0)])
    return record, sorted(consumer.assignment())


def _removed(consumer: Any, on: Fixtures) -> Any:
    consumer.assign([_first(on, 0), TopicPartition(on.topic, 1, 0)])
    return consumer.incremental_unassign([_first(on)]), consumer.assignment()


def _unassigned(consumer: Any, on: Fixtures) -> Any:
    _reading(consumer, on, 1)
    return consumer.unassign(), consumer.assignment()


def _unsubscribed(consumer: Any, on: Fixtures) -> Any:
    _joined(consumer, on)
    returned = consumer.unsubscribe()
    eventually(lambda: consumer.poll(0.01) or not consumer.assignment(), "no assignment")
    return returned


def _closed(consumer: Any, on: Fixtures) -> Any:
    _joined(consumer, on)
    return consumer.close()


def _cached_watermarks(consumer: Any, on: Fixtures) -> Any:
    _reading(consumer, on)
    return consumer.get_watermark_offsets(_first(on), cached=True)


def _topics_of(consumer: Any, on: Fixtures, *args: Any, **kwargs: Any) -> Any:
    listed = consumer.list_topics(*args, **kwargs)
    return listed.brokers, listed.controller_id, on.mine(listed.topics)


NET = MethodTable(
    library="confluent-kafka",
    of=Consumer,
    make=_make,
    close=_close,
    methods={
        "assign": called(
            defaults=lambda consumer, on: (
                consumer.assign([TopicPartition(on.topic, 0)]),
                consumer.poll(WITHIN_S),
            ),
            offset=lambda consumer, on: (
                consumer.assign([_first(on, 2)]),
                consumer.poll(WITHIN_S),
            ),
            committed=lambda consumer, on: (
                consumer.assign([TopicPartition(on.topic, 0, OFFSET_STORED)] if on.group else []),
                consumer.poll(WITHIN_S),
            ),
            absent_topic=lambda consumer, on: (
                consumer.assign([TopicPartition(on.absent, 0, 0)]),
                consumer.assignment(),
            ),
        ),
        "assignment": called(defaults=_assignments),
        "close": called(
            defaults=_closed,
            unused=lambda consumer, _: consumer.close(),
            twice=lambda consumer, _: (consumer.close(), consumer.close()),
        ),
        "cluster_id": called(
            defaults=lambda consumer, _: len(consumer.cluster_id()),
            timeout=lambda consumer, _: len(consumer.cluster_id(10)),
        ),
        "commit": called(
            defaults=_committed_later,
            synchronous=lambda consumer, on: _committed(consumer, on, asynchronous=False),
            record=lambda consumer, on: _committed(
                consumer, on, of_a_record=True, asynchronous=False
            ),
            offsets=lambda consumer, on: _committed(
                consumer, on, offsets=[_first(on, 1)], asynchronous=False
            ),
            metadata=lambda consumer, on: _committed(
                consumer,
                on,
                offsets=[TopicPartition(on.topic, 0, 1, metadata="of mine", leader_epoch=0)],
                asynchronous=False,
            ),
            absent_topic=lambda consumer, on: consumer.commit(
                offsets=[TopicPartition(on.absent, 0, 1)], asynchronous=False
            ),
            long_metadata=lambda consumer, on: consumer.commit(
                offsets=[TopicPartition(on.topic, 0, 1, metadata="x" * 5000)], asynchronous=False
            ),
            nothing=lambda consumer, _: consumer.commit(asynchronous=False),
        ),
        "committed": called(
            defaults=lambda consumer, on: consumer.committed(
                [TopicPartition(on.topic, number) for number in (0, 1) if on.group]
            ),
            timeout=lambda consumer, on: consumer.committed([_first(on)], timeout=WITHIN_S),
            absent_topic=lambda consumer, on: consumer.committed(
                [TopicPartition(on.absent, 0)], WITHIN_S
            ),
        ),
        "consume": called(
            defaults=lambda consumer, on: (consumer.assign([_first(on, 0)]), consumer.consume()),
            several=_reading,
            timeout=lambda consumer, _: consumer.consume(num_messages=10, timeout=0.1),
        ),
        "consumer_group_metadata": called(
            defaults=lambda consumer, _: type(consumer.consumer_group_metadata()).__name__
        ),
        "get_watermark_offsets": called(
            defaults=lambda consumer, on: consumer.get_watermark_offsets(_first(on)),
            timeout=lambda consumer, on: consumer.get_watermark_offsets(
                TopicPartition(on.topic, 1), timeout=WITHIN_S
            ),
            cached=_cached_watermarks,
            absent_topic=lambda consumer, on: consumer.get_watermark_offsets(
                TopicPartition(on.absent, 0), timeout=2
            ),
        ),
        "incremental_assign": called(defaults=_added),
        "incremental_unassign": called(defaults=_removed),
        "list_topics": called(
            defaults=_topics_of,
            of_one=lambda consumer, on: _topics_of(consumer, on, on.topic),
            timeout=lambda consumer, on: _topics_of(consumer, on, topic=on.topic, timeout=60),
            absent=lambda consumer, on: _topics_of(consumer, on, on.absent),
        ),
        "memberid": called(
            defaults=lambda consumer, on: (
                consumer.memberid(),
                _joined(consumer, on),
                consumer.memberid(),
            )
        ),
        "offsets_for_times": called(
            defaults=lambda consumer, on: consumer.offsets_for_times([_first(on, on.times_ms[1])]),
            timeout=lambda consumer, on: consumer.offsets_for_times(
                [_first(on, 0), _first(on, on.times_ms[2] + 1)], timeout=WITHIN_S
            ),
            absent_topic=lambda consumer, on: consumer.offsets_for_times(
                [TopicPartition(on.absent, 0, 1)], timeout=2
            ),
        ),
        "pause": called(
            defaults=_paused, unassigned=lambda consumer, on: consumer.pause([_first(on)])
        ),
        "poll": called(
            defaults=lambda consumer, on: (consumer.assign([_first(on, 0)]), consumer.poll()),
            timeout=lambda consumer, on: (consumer.assign([_first(on, 0)]), consumer.poll(10)),
            at_once=lambda consumer, _: consumer.poll(0),
        ),
        "position": called(defaults=_positions),
        "resume": called(defaults=_resumed),
        "seek": called(
            defaults=lambda consumer, on: _sought(consumer, on, 1),
            to_the_beginning=lambda consumer, on: _sought(consumer, on, OFFSET_BEGINNING),
            to_the_end=lambda consumer, on: _sought(consumer, on, OFFSET_END),
            unassigned=lambda consumer, on: consumer.seek(_first(on, 1)),
        ),
        "set_sasl_credentials": called(
            defaults=lambda consumer, _: consumer.set_sasl_credentials("user", "password")
        ),
        "store_offsets": called(
            {"enable.auto.offset.store": False},
            defaults=lambda consumer, on: _stored(consumer, on, of_a_record=True),
            offsets=lambda consumer, on: _stored(consumer, on, of_a_record=False),
        ),
        "subscribe": called(
            defaults=_joined,
            on_assign=_subscribed,
            on_revoke_and_lost=_lost,
            pattern=lambda consumer, on: _subscribed(consumer, on, [f"^{on.topic}.*"]),
            consumer_protocol=lambda _, on: _subscribed(
                on.make(**{"group.protocol": "consumer"}), on
            ),
            consumer_protocol_pattern=lambda _, on: _subscribed(
                on.make(**{"group.protocol": "consumer"}), on, [f"^{on.topic}.*"]
            ),
            static_member=lambda _, on: _subscribed(on.make(**{"group.instance.id": "me"}), on),
            cooperative=lambda _, on: _subscribed(
                on.make(**{"partition.assignment.strategy": "cooperative-sticky"}), on
            ),
        ),
        "unassign": called(defaults=_unassigned),
        "unsubscribe": called(
            defaults=_unsubscribed, unused=lambda consumer, _: consumer.unsubscribe()
        ),
    },
)
