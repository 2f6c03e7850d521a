"""aiokafka, from 0.8 on: produces, reads in a group, commits, and finds offsets by time."""

import asyncio
import json
import sys

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

bootstrap, topic, group = sys.argv[1:]


async def use():
    """Print the outcome of each step."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, compression_type="gzip", enable_idempotence=True
    )
    await producer.start()
    sent = [
        (await producer.send_and_wait(topic, value, key=b"key", headers=[("h", b"1")])).offset
        for value in (b"one", b"two", b"three")
    ]
    await producer.stop()
    large = AIOKafkaProducer(bootstrap_servers=bootstrap, max_request_size=5000000)
    await large.start()
    try:
        await large.send_and_wait(topic, bytes(3000000))
        refused = "nothing"
    except Exception as error:  # its class depends on the version
        refused = type(error).__name__
    await large.stop()
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    read = []
    for _ in sent:
        record = await asyncio.wait_for(consumer.getone(), 30)
        read.append((record.offset, record.value.decode(), len(record.headers)))
    await consumer.commit()
    partition = TopicPartition(topic, 0)
    reported = {
        "version": aiokafka.__version__,
        "sent": sent,
        "refused": refused,
        "read": read,
        "committed": await consumer.committed(partition),
        "end": (await consumer.end_offsets([partition]))[partition],
        "at_time": (await consumer.offsets_for_times({partition: 0}))[partition].offset,
    }
    await consumer.stop()
    return reported


print(json.dumps(asyncio.run(use())))
