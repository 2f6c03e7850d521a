"""The text of the page docs/reference/speed.md."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """\
<!-- Written by `make bench`; the text is in benchmarks/sections.py. -->

# Measured speed

```console
$ make bench
$ python -m benchmarks --only round_trip --rounds 3
```

`make bench` compares the broker with Apache Kafka, with franz-go's kfake (in Go) and with
librdkafka's mock cluster (in C), on the same machine, and writes this page. In each round the
systems are measured one after the other; there are five rounds by default. A cell is the median
of the rounds, with the smallest and the largest figure in brackets. "of Kafka" is our median
divided by that of Kafka, and "of kfake" by that of kfake; an aim is beside the ratio where one is
set, whether it is met or missed. Only ratios apply to other machines. `antechamber` is the compiled
build, profiled as in the wheels for Linux, and `pure build` the same source without compiled
modules. Where the line below a table names no build, `antechamber` is the pure one.

"broker CPU" is the processor time of all processes of the broker. It depends less than a duration
on what else the machine does; where other programs use the same cores, compare it first. This
broker polls for the next request before it sleeps while requests follow each other within 0.1 ms,
so that its processor time for serial requests includes that of the polling.

Before each measurement that writes much, a scratch file is written and deleted, whichever system is
measured. A virtual machine may return free memory to its host; then the first write to each page
waits for the host, and took 1.7 s of processor time for a GB instead of 0.2 s on the machine below.
Without the scratch file most throughputs were those of that wait.

All figures depend on the interpreter. A CPython that was compiled without `--enable-optimizations`,
as pyenv does by default, took 1.6 times as long for a loop over a dictionary as that of Debian.
`make bench PYTHON=/usr/bin/python3` in a new checkout uses the latter.

Kafka's figures depend on how long it has run, because its JVM compiles what runs often: in fifteen
rounds the p50 of a small produce fell from 258 to 66 µs within six, and that from produce to fetch
from 366 to 124 µs within ten. So it is measured in eight more rounds first, which are not kept.

kfake has one log for all nodes and keeps its records in memory: it has no followers that fetch,
and no files. The mock has no files, ignores `min_bytes`, and new records do not end the wait of a
fetch. A dash or an empty cell means that the system does not support what is measured.
"""

AIMS_AND_LIMITS = """\
## Aims and limits

All aims, as ratios of our figure to that of another system. A bare operation is the same exchange
with a server in Python that decodes nothing. Its figure is divided by that of the same system, and
shows about where the limit of Python on that machine is; a measured ratio can be beyond it by as
much as rounds differ, as for `produce 1 KB`. For the producer of
confluent-kafka it is the mock cluster in C, which stores nothing: the client does not send more
than that. The sections below have the figures.
"""


@dataclass(frozen=True)
class Section:
    """A section of the page, with the names of its benchmarks."""

    title: str
    text: str
    benchmarks: tuple[str, ...] = ()


SECTIONS = (
    Section(
        "Start and memory",
        """\
A start ends with the first Metadata response, or with the first echo of a server that imports
nothing but trio. The load is that of all other sections on one node, with share groups.

Nearly all of the fresh memory is that of code: a process that imports `broker.server` and does
nothing else has 47 MB in the compiled build and 42 in the pure one.""",
        ("start", "memory"),
    ),
    Section(
        "Latency on one node",
        """\
`serial` is a raw client with one produce after the other. `wake-up` is the time from a produce to
the response of a fetch that has been parked for 3 ms; `end to end` is the same without a pause
between records.""",
        ("round_trip", "wake_up", "fairness"),
    ),
    Section(
        "Limits of Python",
        """\
Servers in Python that decode nothing, with the same client and frames of 200 bytes: what a broker
in Python on this machine cannot undercut. Those on epoll poll before they sleep, as the broker
does. A `chain of three` is a leader and two followers in one process, which pass frames in memory:
each frame is copied twice and written to three files before the response. The plain write appends a
batch of one record of 100 bytes to a file. The last rows are a pass over 2,000 objects, scattered
among 400,000, that reads an attribute of each; after a pause of 3 ms, like that before a wake-up,
the caches have other memory.""",
        ("limits",),
    ),
    Section(
        "Throughput on one node",
        """\
confluent-kafka produces and consumes one partition; most of the time of a consumption is its own
processor time. `bare broker` is a server in Python with the batches of one partition in a file: it
sends those from the offset of a Fetch by `os.sendfile`, and decodes nothing else of it. Raw clients
repeat ready requests, so that mostly the broker is measured. `bare file` is a server in Python that
decodes nothing, polls its socket without sleeping, and sends 1 MB of a file for each request to the
client of `raw fetch`: it calls `os.sendfile`, as the broker does on Linux, or reads and sends
pieces of 256 KB, as the broker does on other systems and with TLS.

With `socket.send.buffer.bytes=-1` the system chooses the buffer: `raw fetch` had 1.10 times the
throughput and took 0.87 of the processor time (medians of twelve interleaved rounds), but a client
that stops reading holds up to 4 MB of the system's memory instead of 0.5.""",
        ("producing", "pipelined", "consuming"),
    ),
    Section(
        "Parked requests and timers",
        """\
Each parked fetch has a connection of its own; one produce completes all of them. The lateness of
a long poll is the time of its response minus its `max_wait_ms`, and includes the round trip.""",
        ("parked", "expiry", "expiry_with_pending"),
    ),
    Section(
        "Consumer groups",
        """\
Members are raw connections with the classic protocol. Each of 1,000 members sends a heartbeat
every 3 s. The rows of echoes are servers that only send as many frames back.""",
        ("groups",),
    ),
    Section(
        "Share groups",
        """\
Ten raw consumers share one partition; each fetch accepts the records of the previous one. The
throughput is that of batches of a hundred records of 100 bytes. `wake-up` is the time from a
produce until one of ten parked fetches has the record; `end to end` is the same without a pause
between records.""",
        ("share",),
    ),
    Section(
        "Three nodes",
        """\
Three replicas and `acks=all`. Our three nodes share one process; Kafka's are three processes,
whose processor time is added. A connection has one request in progress, as in Kafka: of five
requests in flight each is replicated before the next one is appended.""",
        ("replicating", "replicated_wake_up", "replicated_pipelined"),
    ),
    Section(
        "Transactions",
        """\
Transactions of one producer and one partition with ten records each. The next Produce of a
producer usually arrives before the markers of its previous transaction are written, and is then
repeated after 20 ms on both systems.""",
        ("transactions", "replicated_transactions"),
    ),
    Section(
        "TLS",
        """\
TLS 1.3 with AES-256-GCM, by confluent-kafka.""",
        ("tls",),
    ),
    Section(
        "Storage",
        """\
Each operation is compared with the same bytes in a plain file where that is possible. The broker
validates every record before it writes it, as Kafka does, and this is slow in Python. Rows with
`compiled` show the same code compiled by mypyc.""",
        ("storage",),
    ),
    Section(
        "Wait records",
        """\
The throughput with wait records in memory, and written to a file, relative to a broker that keeps
none, of the pure build. `off, repeated` is a second broker without records; its difference from 100
is noise. What the analysis of wait records costs is documented in [analysis](analysis.md).""",
        ("recording",),
    ),
    Section(
        "Fault rules",
        """\
The processor time of the pure build for a request of a raw client. `no hooks` is a broker from a
copy of the source without the code that tests for rules, and `no rules, repeated` a second broker
with it: their difference is what that code costs, and the second one alone is noise. 100 rules for
other names are of all kinds; those by a field match every request and do not fire. At most 5 µs
more with 100 rules is the aim.""",
        ("fault_rules",),
    ),
    Section(
        "Growth",
        """\
How costs of this broker grow with the number of something. Each figure is for one item, in
microseconds, so a line that does not rise means that twice as many cost at most twice as much, and
that a produce beside them costs as much as before. A produce is an `acks=all` produce of 100 bytes
to a partition of its own. Followed partitions have three replicas, and so has the partition of the
produce beside them: its followers fetch all of them. The number of connections is limited by the
descriptors that a process may open.""",
        (
            "growth_parked",
            "growth_connections",
            "growth_members",
            "growth_groups",
            "growth_partitions",
            "growth_followed",
            "growth_records",
            "growth_log",
        ),
    ),
)
