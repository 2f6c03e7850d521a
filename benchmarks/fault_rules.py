"""The cost of fault rules: processor time of the same requests without rules and with 100.

The brokers run at the same time, all programs on one core (`benchmarks.one_core`). They are used
alternately for short periods, and the rules of one of them change between periods. A figure is the
fastest tenth of the periods, because other programs on the same core only add to the time of a
period; a difference is to that without rules. The processor time is the kernel's, of all threads of
the broker. "No rules, repeated" is a second broker without rules: its difference is noise. The
rules that match do not fire, as a rule that fires replaces the work of a request. Only our broker
has fault rules.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.one_core import on_one_core
from benchmarks.systems import System
from benchmarks.without_fault_hooks import broker_without_hooks
from integration.machine.scheduling import on_cpu_ns
from integration.processes.antechamber import Antechamber
from integration.wire.batches import batch
from integration.wire.connection import Connection, string
from integration.wire.requests import fetch, produce, request

ROUNDS = 60
REQUESTS = 200
# Before each period, so that the change of the rules itself is not measured.
WARM_UP_REQUESTS = 50
FASTEST_PERCENT = 10
RULES = 100
TOPIC, GROUP, CLIENT = "measured", "g", "wire"
NEVER = 1_000_000_000
_FIND_COORDINATOR = 10

Rule = dict[str, Any]
# The properties of the requests, by the name of their rows.
MATCHES: dict[str, Rule] = {
    "API": {},
    "client": {"client": CLIENT},
    "client prefix": {"client": "wi*"},
    "principal": {"principal": "User:ANONYMOUS"},
    "node": {"node": 1},
    "topic": {"topic": TOPIC},
    "partition": {"topic": TOPIC, "partition": 0},
}
APIS = ("Produce", "Fetch")
GROUP_API = "FindCoordinator"


def for_others(api: str) -> Iterator[Rule]:
    """Rules of all kinds for names that no request has."""
    for number in range(RULES):
        kinds: list[Rule] = [
            {"api": api, "client": f"client-{number}"},
            {"api": api, "client": f"other-{number}*"},
            {"api": api, "principal": f"User:user-{number}"},
            {"group": f"group-{number}"},
            {"transactional_id": f"id-{number}"},
            {"topic": f"topic-{number}"},
            {"topic": TOPIC, "partition": number + 1},
            {"topic": TOPIC, "from": "broker"},
        ]
        yield kinds[number % len(kinds)]


def rule_sets(api: str) -> dict[str, list[Rule]]:
    """What 100 rules match, by the name of the row."""
    fields = MATCHES if api != GROUP_API else {"group": {"group": GROUP}}
    matching = [{"api": api, **match} for match in fields.values()]
    sets = {"100 rules for others": list(for_others(api))}
    if len(matching) > 1:
        sets["100 rules by each field"] = list(islice(cycle(matching), RULES))
    for name, match in zip(fields, matching, strict=True):
        sets[f"100 rules by {name}"] = [match] * RULES
    return sets


class Measured:
    """A broker, and a connection that repeats each request."""

    def __init__(self, broker: Antechamber, stack: ExitStack) -> None:
        self._broker = broker
        self._connection = stack.enter_context(Connection(broker.bootstrap))
        records = batch([bytes(100)])
        find = request(_FIND_COORDINATOR, 1, string(GROUP) + b"\0")
        self._frames = {
            "Produce": produce(TOPIC, 0, records),
            "Fetch": fetch(TOPIC, 0, 0, max_bytes=1),
            GROUP_API: find,
        }
        self._connection.request(self._frames["Produce"])

    def each_us(self, api: str) -> float:
        """The processor time of one of several requests, in microseconds."""
        frame, send = self._frames[api], self._connection.request
        for _ in range(WARM_UP_REQUESTS):
            send(frame)
        used = on_cpu_ns(self._broker.pid)
        for _ in range(REQUESTS):
            send(frame)
        return (on_cpu_ns(self._broker.pid) - used) / 1000 / REQUESTS

    def with_rules(self, api: str, matches: list[Rule]) -> float:
        """As `each_us`, with a rule for each of *matches* that never fires."""
        action = {"type": "error", "error": "REQUEST_TIMED_OUT"}
        rules = [{"match": each, "action": action, "nth": NEVER} for each in matches]
        admin = self._broker.admin
        admin.call("POST", "/v1/faults", body={"rules": rules})
        try:
            return self.each_us(api)
        finally:
            admin.call("DELETE", "/v1/faults")


def measure(system: System, scale: float) -> Sample:
    """All rows of all APIs, round by round."""
    if system.name != "ours":
        return {}
    rounds = max(3, int(ROUNDS * scale))
    options = "--topic", TOPIC
    with on_one_core(), ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bare, one, other = (
            Measured(stack.enter_context(broker), stack)
            for broker in (
                broker_without_hooks(folder, *options),
                Antechamber(*options),
                Antechamber(*options),
            )
        )
        sample: dict[str, float] = {}
        for api in (*APIS, GROUP_API):
            sample |= _rows(api, bare, one, other, rounds)
        return sample


def _rows(api: str, bare: Measured, one: Measured, other: Measured, rounds: int) -> Sample:
    """The rows of one API."""
    sets = rule_sets(api)
    works: dict[str, Callable[[], float]] = {"no rules": lambda: one.each_us(api)}
    if api in APIS:
        works["no hooks"] = lambda: bare.each_us(api)
        works["no rules, repeated"] = lambda: other.each_us(api)
    for name, matches in sets.items():
        works[name] = lambda matches=matches: one.with_rules(api, matches)  # type: ignore[misc]  # the set of this row
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            each_us = work()
            if number:  # the first round warms up
                taken[name].append(each_us)
    fastest = {name: percentile(values, FASTEST_PERCENT) for name, values in taken.items()}
    plain = fastest.pop("no rules")
    differences = {f"{api}, {name}, more CPU": each - plain for name, each in fastest.items()}
    return {f"{api}, no rules, CPU each": plain, **differences}


def _metrics() -> Iterator[Metric]:
    for api in (*APIS, GROUP_API):
        yield Metric(f"{api}, no rules, CPU each", "us")
        names = ["no hooks", "no rules, repeated"] if api in APIS else []
        for name in (*names, *rule_sets(api)):
            yield Metric(f"{api}, {name}, more CPU", "us")


BENCHMARK = Benchmark("fault_rules", tuple(_metrics()), measure, heavy=True)
