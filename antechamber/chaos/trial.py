"""One run of a program under some rules, on a new cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

from antechamber.admin_client import AdminError
from antechamber.chaos.program import Outcome, run_program
from antechamber.chaos.shrink import Rule
from antechamber.cluster import Cluster
from antechamber.usage_error import UsageError

# Replaced in the arguments of the program.
BOOTSTRAP_WORD = "{bootstrap}"


class Firing(NamedTuple):
    """A rule, by its position in the schedule, has fired on its match *nth*.

    A new connection or a link has neither an API nor a client id.
    """

    rule: int
    name: str | None
    api: str | None
    client: str | None
    nth: int

    def __str__(self) -> str:
        # A name may have line breaks, which would end the comment that it is in.
        name = f" ({self.name!r})" if self.name else ""
        start = f"rule {self.rule + 1}{name}: match {self.nth}"
        if self.api is None:
            return start
        client = "no client id" if self.client is None else f"client {self.client!r}"
        return f"{start}, {self.api} of {client}"


class Trial(NamedTuple):
    """How a run ended, and what the rules did in it."""

    outcome: Outcome
    firings: tuple[Firing, ...] = ()

    @property
    def fired(self) -> set[int]:
        """The positions of the rules that fired."""
        return {firing.rule for firing in self.firings}


RunTrial = Callable[[Sequence[Rule]], Trial]


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Runs a program; *cluster* are the arguments of each new `Cluster`.

    Errors name *source*, the file that the rules are from.
    """

    words: Sequence[str]
    cluster: Mapping[str, Any]
    timeout_s: float
    output: IO[bytes] | None = None
    source: str = "the schedule"

    def run(self, rules: Sequence[Rule]) -> Trial:
        """Run it under *rules*; raises `UsageError` and `StartError`."""
        with Cluster(**self.cluster) as kafka:
            ids: list[int] = []
            if rules:
                try:
                    ids = [rule.id for rule in kafka.faults.add_rules(*rules)]
                except AdminError as error:
                    raise UsageError(f"{self.source}: {error}") from None
            words = [word.replace(BOOTSTRAP_WORD, kafka.bootstrap) for word in self.words]
            outcome = run_program(words, _variables(kafka), self.timeout_s, self.output)
            return Trial(outcome, tuple(_firings(kafka, ids)))


def _variables(kafka: Cluster) -> dict[str, str]:
    return {
        "KAFKA_BOOTSTRAP": kafka.bootstrap,
        "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap,
        "ANTECHAMBER_ADMIN": kafka.admin,
    }


def _firings(kafka: Cluster, ids: Sequence[int]) -> Iterator[Firing]:
    """What the rules with these ids did."""
    for each in kafka.faults.firings():
        if each["rule"] in ids:
            at = ids.index(each["rule"])
            yield Firing(at, each["name"], each["api"], each["client_id"], each["nth"])
