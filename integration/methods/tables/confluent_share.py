"""The tables of confluent-kafka's consumers of share groups (librdkafka)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import (
    AcknowledgeType,
    DeserializingShareConsumer,
    ShareConsumer,
)
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.serialization import StringDeserializer

from integration.machine.deadlines import eventually
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called, public_methods

WITHIN_S = 60
EXPLICIT = {"share.acknowledgement.mode": "explicit"}


def _settings(on: Fixtures) -> dict[str, Any]:
    """Settings of a member; its group begins with the first record."""
    group = on.named("group")
    entry = ConfigEntry(
        "share.auto.offset.reset", "earliest", incremental_operation=AlterConfigOpType.SET
    )
    admin = AdminClient({"bootstrap.servers": on.bootstrap, "client.id": "settings"})
    resource = ConfigResource("group", group, incremental_configs=[entry])
    for done in admin.incremental_alter_configs([resource]).values():
        done.result(WITHIN_S)
    return {
        "bootstrap.servers": on.bootstrap,
        "client.id": on.client_id,
        "group.id": group,
        "log_level": 0,
    }


def _make(on: Fixtures, settings: Mapping[str, Any]) -> ShareConsumer:
    return ShareConsumer(_settings(on) | dict(settings))


def _make_deserializing(on: Fixtures, settings: Mapping[str, Any]) -> DeserializingShareConsumer:
    given = _settings(on) | {"value.deserializer": StringDeserializer()}
    return DeserializingShareConsumer(given | dict(settings))


def _close(consumer: ShareConsumer) -> None:
    consumer.close()


def _records(consumer: Any, on: Fixtures, count: int = 3) -> list[Any]:
    """Subscribe, and poll until there are *count* records."""
    consumer.subscribe([on.topic])
    return _more(consumer, count)


def _more(consumer: Any, count: int) -> list[Any]:
    found: list[Any] = []
    eventually(
        lambda: found.extend(consumer.poll(0.2)) or len(found) >= count,
        "records",
        within=WITHIN_S,
    )
    return found


def _acknowledged(consumer: Any, on: Fixtures, *types: AcknowledgeType) -> Any:
    """Acknowledge a record with each of *types*, accept the others, and poll what comes again."""
    records = _records(consumer, on)
    results = [
        consumer.acknowledge(record, types[number])
        if number < len(types)
        # The default accepts.
        else consumer.acknowledge(record)
        for number, record in enumerate(records)
    ]
    return records, results, consumer.commit_sync()


def _by_offset(consumer: Any, on: Fixtures, *types: AcknowledgeType) -> Any:
    records = _records(consumer, on)
    given = [(types[record.offset()],) if types else () for record in records]
    results = [
        consumer.acknowledge_offset(record.topic(), record.partition(), record.offset(), *each)
        for record, each in zip(records, given, strict=True)
    ]
    return results, consumer.commit_sync()


def _again(consumer: Any, on: Fixtures) -> Any:
    """Release the records, and poll them again."""
    _acknowledged(consumer, on, *[AcknowledgeType.RELEASE] * 3)
    return _more(consumer, 3)


def _of_another_mode(consumer: Any, on: Fixtures) -> Any:
    return consumer.acknowledge(_records(consumer, on)[0])


def _committed(consumer: Any, on: Fixtures, *timeout: float) -> Any:
    _records(consumer, on)
    return consumer.commit_sync(*timeout), consumer.commit_sync(*timeout)


def _reported(consumer: Any, on: Fixtures) -> Any:
    """Commit asynchronously, and poll until the callback has been called."""
    reported: list[Any] = []
    registered = consumer.set_acknowledgement_commit_callback(
        lambda offsets, error: reported.append((offsets, error))
    )
    _records(consumer, on)
    returned = consumer.commit_async()
    eventually(lambda: list(consumer.poll(0.1)) or reported, "the callback", within=WITHIN_S)
    return registered, returned, reported


def _cleared(consumer: Any, on: Fixtures) -> Any:
    reported: list[Any] = []
    consumer.set_acknowledgement_commit_callback(lambda *each: reported.append(each))
    returned = consumer.set_acknowledgement_commit_callback(None)
    _committed(consumer, on)
    return returned, reported


def _unacknowledged(consumer: Any, on: Fixtures) -> Any:
    """Poll again without having acknowledged the records."""
    _records(consumer, on)
    return consumer.poll(1)


def _left(consumer: Any, on: Fixtures) -> Any:
    """Close a member that holds records; another one gets those that it has not accepted."""
    records = _records(consumer, on)
    consumer.acknowledge(records[0])
    return consumer.close(), _records(on.make(), on, 2)


def _subscriptions(consumer: Any, on: Fixtures) -> Any:
    before = consumer.subscription()
    consumer.subscribe([on.topic, on.absent])
    return before, sorted(consumer.subscription())


NET = MethodTable(
    library="confluent-kafka",
    of=ShareConsumer,
    make=_make,
    close=_close,
    methods={
        "acknowledge": called(
            EXPLICIT,
            defaults=_acknowledged,
            types=lambda consumer, on: _acknowledged(consumer, on, *AcknowledgeType),
            released=_again,
            implicit_mode=lambda _, on: _of_another_mode(
                on.make(**{"share.acknowledgement.mode": "implicit"}), on
            ),
        ),
        "acknowledge_offset": called(
            EXPLICIT,
            defaults=_by_offset,
            types=lambda consumer, on: _by_offset(consumer, on, *AcknowledgeType),
            unknown=lambda consumer, on: (
                _records(consumer, on),
                consumer.acknowledge_offset(on.topic, 0, 9),
            ),
        ),
        "close": called(
            EXPLICIT,
            defaults=_left,
            unused=lambda consumer, _: consumer.close(),
            twice=lambda consumer, _: (consumer.close(), consumer.close()),
        ),
        "commit_async": called(
            defaults=_reported, nothing=lambda consumer, _: consumer.commit_async()
        ),
        "commit_sync": called(
            defaults=_committed,
            timeout=lambda consumer, on: _committed(consumer, on, 30.0),
            nothing=lambda consumer, _: consumer.commit_sync(),
        ),
        "poll": called(
            defaults=lambda consumer, on: (consumer.subscribe([on.topic]), list(consumer.poll())),
            timeout=lambda consumer, on: (
                consumer.subscribe([on.topic]),
                list(consumer.poll(WITHIN_S)),
            ),
            unsubscribed=lambda consumer, _: consumer.poll(1),
            unacknowledged=lambda _, on: _unacknowledged(on.make(**EXPLICIT), on),
        ),
        "set_acknowledgement_commit_callback": called(defaults=_reported, none=_cleared),
        "set_sasl_credentials": called(
            defaults=lambda consumer, _: consumer.set_sasl_credentials("user", "password")
        ),
        "subscribe": called(
            defaults=_records,
            none=lambda consumer, _: (consumer.subscribe([]), consumer.subscription()),
            twice=lambda consumer, on: consumer.subscribe([on.topic, on.topic]),
            absent=lambda consumer, on: (
                consumer.subscribe([on.absent]),
                list(consumer.poll(1)),
            ),
        ),
        "subscription": called(defaults=_subscriptions),
        "unsubscribe": called(
            defaults=lambda consumer, on: (
                _records(consumer, on),
                consumer.unsubscribe(),
                consumer.subscription(),
            ),
            unused=lambda consumer, _: consumer.unsubscribe(),
        ),
    },
)

DESERIALIZING = MethodTable(
    library="confluent-kafka",
    of=DeserializingShareConsumer,
    make=_make_deserializing,
    close=_close,
    inherited=public_methods(ShareConsumer) - {"poll"},
    methods={
        "poll": called(
            defaults=lambda consumer, on: (consumer.subscribe([on.topic]), list(consumer.poll())),
            timeout=lambda consumer, on: (
                consumer.subscribe([on.topic]),
                list(consumer.poll(timeout=WITHIN_S)),
            ),
        ),
    },
)
