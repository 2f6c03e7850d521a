"""One run of the tables of several libraries, on our broker and, if available, on Kafka."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from antechamber import Cluster
from integration.kafka.source import missing_kafka, start_kafka
from integration.methods.comparison import Key, Played
from integration.methods.libraries import entries_of, player_of
from integration.methods.observations import Client, Seen
from integration.methods.running import Run, run
from integration.methods.uses import Uses, read_uses
from integration.parity.warm_up import warm_up

_HEAP = "512M"


@dataclass
class Session:
    """The outcomes on both systems, and the requests of the methods; empty without a Kafka."""

    ours: dict[Key, Played] = field(default_factory=dict)
    theirs: dict[Key, Played] = field(default_factory=dict)
    took_ms: dict[Key, int] = field(default_factory=dict)
    public: dict[str, Sequence[str]] = field(default_factory=dict)
    releases: dict[str, str] = field(default_factory=dict)
    uncalled: dict[str, Sequence[str]] = field(default_factory=dict)
    uses: Mapping[tuple[str, str], Uses] = field(default_factory=dict)

    def clients(self) -> dict[str, Client]:
        """Return the observations for docs/client_methods.json."""
        return {name: self._client(name) for name in self.public}

    def _client(self, name: str) -> Client:
        methods = {
            method: Seen(
                self.uses.get((name, method), {}),
                {
                    key.shape: played.ending
                    for key, played in self.theirs.items()
                    if (key.client, key.method) == (name, method)
                },
            )
            for method in self.public[name]
        }
        return Client(self.releases[name], methods)


def play(libraries: Iterable[str], folder: Path, only: str = "") -> Session:
    """Run the tables of libraries concurrently; *folder* is for records and compiled classes."""
    done = Session()
    records = folder / "records.jsonl"
    players = {library: player_of(library, folder) for library in libraries}
    with ExitStack() as running, ThreadPoolExecutor() as pool:
        ours = running.enter_context(Cluster(records=records)).bootstrap
        theirs = _start_kafka(running) if missing_kafka() is None else None
        runs = {
            (library, bootstrap): pool.submit(run, player, bootstrap, entries_of(library), only)
            for library, player in players.items()
            for bootstrap in (ours, theirs)
            if bootstrap is not None
        }
        for (_, bootstrap), future in runs.items():
            _add(done, future.result(), is_ours=bootstrap == ours)
    done.uses = read_uses(records)
    return done


def _start_kafka(running: ExitStack) -> str:
    kafka = start_kafka(heap=_HEAP)
    running.callback(kafka.close)
    warm_up(kafka.nodes)
    return kafka.bootstrap


def _add(done: Session, each: Run, *, is_ours: bool) -> None:
    if not is_ours:
        done.theirs |= each.played
        done.uncalled |= each.uncalled
        return
    done.ours |= each.played
    done.took_ms |= each.took_ms
    done.public |= each.public
    done.releases |= dict.fromkeys(each.public, each.release)
