"""The table of aiokafka's AIOKafkaConsumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.structs import OffsetAndMetadata

from integration.methods.fixtures import VALUES, Fixtures
from integration.methods.method_table import MethodTable, called

WITHIN_MS = 60_000


async def _make(on: Fixtures, settings: Mapping[str, Any]) -> AIOKafkaConsumer:
    base = {
        "bootstrap_servers": on.bootstrap,
        "client_id": on.client_id,
        "group_id": on.named("group"),
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
    }
    consumer = AIOKafkaConsumer(**base | dict(settings))
    await consumer.start()
    return consumer


async def _close(consumer: AIOKafkaConsumer) -> None:
    await consumer.stop()


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


def _values(got: Mapping[Any, Any]) -> Any:
    return [(each.offset, each.value) for records in got.values() for each in records]


async def _reading(consumer: Any, on: Fixtures) -> Any:
    """Assign the first partition, and read its records."""
    _assigned(consumer, on)
    return [(await consumer.getone()).value for _ in VALUES]


async def _joined(consumer: Any, on: Fixtures, **how: Any) -> Any:
    """Subscribe, and wait for a record, by which time partitions are assigned."""
    consumer.subscribe(**how or {"topics": [on.topic]})
    return await consumer.getone(), sorted(consumer.assignment())


async def _listened(consumer: Any, on: Fixtures) -> Any:
    listener = _Listener()
    await _joined(consumer, on, topics=[on.topic], listener=listener)
    return listener.reported[0], listener.reported[-1]


async def _static(_: Any, on: Fixtures) -> Any:
    return await _joined(await on.make(group_instance_id="me"), on)


async def _committed(consumer: Any, on: Fixtures, *args: Any) -> Any:
    await _reading(consumer, on)
    return await consumer.commit(*args), await consumer.committed(_first(on))


async def _got(consumer: Any, on: Fixtures, *args: Any, **options: Any) -> Any:
    return _values(await _assigned(consumer, on).getmany(*args, **options))


async def _got_something(consumer: Any, on: Fixtures) -> Any:
    return isinstance(await _assigned(consumer, on).getmany(), dict)


async def _after_reading(consumer: Any, on: Fixtures, method: str, *args: Any) -> Any:
    """Read the records, and call a method that returns data about them."""
    await _reading(consumer, on)
    return getattr(consumer, method)(*args or (_first(on),))


async def _last_poll(consumer: Any, on: Fixtures) -> Any:
    return isinstance(await _after_reading(consumer, on, "last_poll_timestamp"), int)


async def _stable(_: Any, on: Fixtures) -> Any:
    return await _after_reading(
        await on.make(isolation_level="read_committed"), on, "last_stable_offset"
    )


async def _paused(consumer: Any, on: Fixtures) -> Any:
    await _reading(consumer, on)
    consumer.seek(_first(on), 0)
    return consumer.pause(_first(on)), consumer.paused(), await consumer.getmany(timeout_ms=200)


async def _resumed(consumer: Any, on: Fixtures) -> Any:
    await _paused(consumer, on)
    return consumer.resume(_first(on)), consumer.paused(), await consumer.getone()


async def _sought(consumer: Any, on: Fixtures, offset: int) -> Any:
    await _reading(consumer, on)
    return consumer.seek(_first(on), offset), (await consumer.getone()).offset


async def _sought_to(consumer: Any, on: Fixtures, method: str, *args: Any) -> Any:
    """Seek by a method, from the second record; returns the position."""
    _assigned(consumer, on).seek(_first(on), 2)
    returned = await getattr(consumer, method)(*args)
    return returned, await consumer.position(_first(on))


async def _topics(consumer: Any, on: Fixtures) -> Any:
    return on.mine(await consumer.topics())


async def _unsubscribed(consumer: Any, on: Fixtures) -> Any:
    await _joined(consumer, on)
    return consumer.unsubscribe(), consumer.assignment()


async def _stopped(consumer: Any, on: Fixtures) -> Any:
    await _joined(consumer, on)
    return await consumer.stop()


NET = MethodTable(
    library="aiokafka",
    of=AIOKafkaConsumer,
    make=_make,
    close=_close,
    asynchronous=True,
    methods={
        "assign": called(
            defaults=_reading,
            absent_topic=lambda consumer, on: (
                consumer.assign([TopicPartition(on.absent, 0)]),
                consumer.assignment(),
            ),
        ),
        "assignment": called(
            defaults=lambda consumer, _: consumer.assignment(),
            joined=_joined,
        ),
        "beginning_offsets": called(
            defaults=lambda consumer, on: consumer.beginning_offsets([_first(on)]),
            empty=lambda consumer, on: consumer.beginning_offsets([TopicPartition(on.topic, 1)]),
        ),
        "commit": called(
            defaults=_committed,
            offsets=lambda consumer, on: _committed(consumer, on, {_first(on): 1}),
            metadata=lambda consumer, on: _committed(
                consumer, on, {_first(on): OffsetAndMetadata(1, "of mine")}
            ),
            long_metadata=lambda consumer, on: _committed(
                consumer, on, {_first(on): OffsetAndMetadata(1, "x" * 5000)}
            ),
        ),
        "committed": called(
            defaults=lambda consumer, on: consumer.committed(_first(on)),
            none=lambda consumer, on: consumer.committed(TopicPartition(on.topic, 1)),
        ).given("group"),
        "end_offsets": called(
            defaults=lambda consumer, on: consumer.end_offsets([_first(on)]),
            empty=lambda consumer, on: consumer.end_offsets([TopicPartition(on.topic, 1)]),
        ),
        "getmany": called(
            defaults=lambda consumer, on: _got(consumer, on, timeout_ms=WITHIN_MS),
            some=lambda consumer, on: _got(
                consumer, on, _first(on), timeout_ms=WITHIN_MS, max_records=1
            ),
            at_once=_got_something,
        ),
        "getone": called(
            defaults=lambda consumer, on: _assigned(consumer, on).getone(),
            of_one=lambda consumer, on: _assigned(consumer, on).getone(_first(on)),
        ),
        "highwater": called(
            defaults=lambda consumer, on: _after_reading(consumer, on, "highwater")
        ),
        "last_poll_timestamp": called(defaults=_last_poll),
        "last_stable_offset": called(
            defaults=lambda consumer, on: _after_reading(consumer, on, "last_stable_offset"),
            read_committed=_stable,
        ),
        "offsets_for_times": called(
            defaults=lambda consumer, on: consumer.offsets_for_times({_first(on): on.times_ms[1]}),
            none=lambda consumer, on: consumer.offsets_for_times({_first(on): on.times_ms[2] + 1}),
        ),
        "partitions_for_topic": called(
            defaults=lambda consumer, on: _after_reading(
                consumer, on, "partitions_for_topic", on.topic
            ),
            unknown=lambda consumer, on: consumer.partitions_for_topic(on.absent),
        ),
        "pause": called(defaults=_paused),
        "paused": called(defaults=lambda consumer, _: consumer.paused()),
        "position": called(
            defaults=lambda consumer, on: _assigned(consumer, on).position(_first(on)),
            unassigned=lambda consumer, on: consumer.position(_first(on)),
        ),
        "resume": called(defaults=_resumed),
        "seek": called(
            defaults=lambda consumer, on: _sought(consumer, on, 1),
            beyond_the_end=lambda consumer, on: _sought(consumer, on, 99),
        ),
        "seek_to_beginning": called(
            defaults=lambda consumer, on: _sought_to(consumer, on, "seek_to_beginning"),
            of_one=lambda consumer, on: _sought_to(consumer, on, "seek_to_beginning", _first(on)),
        ),
        "seek_to_committed": called(
            defaults=lambda consumer, on: _sought_to(consumer, on, "seek_to_committed"),
            of_one=lambda consumer, on: _sought_to(consumer, on, "seek_to_committed", _first(on)),
        ).given("group"),
        "seek_to_end": called(
            defaults=lambda consumer, on: _sought_to(consumer, on, "seek_to_end"),
            of_one=lambda consumer, on: _sought_to(consumer, on, "seek_to_end", _first(on)),
        ),
        "start": called(defaults=lambda consumer, _: consumer.start()),
        "stop": called(defaults=_stopped, unused=lambda consumer, _: consumer.stop()),
        "subscribe": called(
            defaults=_joined,
            pattern=lambda consumer, on: _joined(consumer, on, pattern=f"^{on.topic}.*"),
            listener=_listened,
            static_member=_static,
        ),
        "subscription": called(
            defaults=lambda consumer, on: (
                consumer.subscription(),
                consumer.subscribe([on.topic]),
                consumer.subscription(),
            )
        ),
        "topics": called(defaults=_topics).given("topic"),
        "unsubscribe": called(defaults=_unsubscribed),
    },
)
