"""Quix Streams: doubles the numbers of a topic, with a state store, until all are processed."""

import sys

from quixstreams import Application

bootstrap, state = sys.argv[1:]
app = Application(
    broker_address=bootstrap,
    consumer_group="quix",
    auto_offset_reset="earliest",
    state_dir=state,
    loglevel="ERROR",
)
numbers = app.topic("quix-in", value_deserializer="int", value_serializer="int")
doubles = app.topic("quix-out", value_deserializer="int", value_serializer="int")
with app.get_producer() as producer:
    for number in range(20):
        message = numbers.serialize(key=b"k", value=number)
        producer.produce(numbers.name, key=message.key, value=message.value)


def total(number, kept):
    """Keep a sum in the store, whose changelog is a topic."""
    kept.set("sum", kept.get("sum", 0) + number)
    return kept.get("sum")


frame = app.dataframe(numbers)
frame = frame.apply(total, stateful=True)
frame = frame.to_topic(doubles)
app.run(count=20, timeout=60)

with app.get_consumer() as consumer:
    consumer.subscribe([doubles.name])
    sums = []
    while len(sums) < 20:
        message = consumer.poll(30)
        assert message is not None
        assert message.error() is None, message.error()
        sums.append(doubles.deserialize(message).value)
print(sums[-1])
