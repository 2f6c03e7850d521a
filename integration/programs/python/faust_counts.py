"""Faust: an agent counts the words of a topic until it has seen six."""

import os
import sys
from collections import Counter

import faust

app = faust.App("counts", broker=f"kafka://{sys.argv[1]}", store="memory://", web_enabled=False)
words = app.topic("faust-words", value_type=bytes, value_serializer="raw", partitions=1)
counts = Counter()


@app.agent(words)
async def count(stream):
    """Print the counts, and end the process."""
    async for word in stream:
        counts[word.decode()] += 1
        if counts.total() == 6:
            print(*(f"{each}={counts[each]}" for each in sorted(counts)), flush=True)
            os._exit(0)


@app.timer(1.0)
async def send():
    """Send the words when the worker runs."""
    for word in b"a b a c b a".split():
        await words.send(value=word)


faust.Worker(app, loglevel="ERROR", redirect_stdouts=False).execute_from_commandline()
