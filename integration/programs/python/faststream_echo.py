"""FastStream: a subscriber receives the messages of its publisher."""

import asyncio
import sys

from faststream.confluent import KafkaBroker

broker = KafkaBroker(sys.argv[1])
received: list[str] = []
done = asyncio.Event()


@broker.subscriber("faststream", group_id="faststream", auto_offset_reset="earliest")
async def receive(text: str) -> None:
    """Keep a message."""
    received.append(text)
    if len(received) == 5:
        done.set()


async def main() -> None:
    """Send five messages, and wait for them."""
    async with broker:
        await broker.start()
        for number in range(5):
            await broker.publish(f"m{number}", "faststream")
        await asyncio.wait_for(done.wait(), 60)
    print(*received)


asyncio.run(main())
