"""`python -m integration.fuzz --frames N`: hostile clients and a valid one, in rounds.

A round is a fresh broker, some ten thousand frames, a check for leaked resources when all clients
have disconnected, an orderly stop, and a start on the same data. Sessions that end the broker are
shrunk to a minimum and written to the corpus. The seed is printed; it determines the sent frames,
but not the keys of TLS sessions. Logins are neither shrunk nor written to the corpus.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from integration.fuzz.broker import FuzzedBroker, ValidClient
from integration.fuzz.corpus import save, shrunk
from integration.fuzz.hostile_clients import HostileClients
from integration.fuzz.logins import HostileLogins
from integration.fuzz.recorded import Relay, let_clients_work
from integration.fuzz.secured import options as secured_options
from integration.fuzz.sessions import Session, Sessions
from integration.fuzz.valid_client import TOPIC
from integration.machine.deadlines import eventually
from integration.processes.server_process import free_ports
from protocol.messages import REQUESTS
from protocol.messages.unregister_broker import UnregisterBrokerRequest

FRAMES_A_ROUND = 20_000
_KEPT_SESSIONS = 400  # these are replayed when the broker has ended
_LOOK_EVERY_SESSIONS = 50
_LOGIN_EVERY_SESSIONS = 10
# Logs of new topics stay open, as do the files of their indexes.
_DESCRIPTORS_A_PARTITION = 12
_MEMORY_MAX = 1 << 30
# The node sends markers of transactions, and verifications of batches, to itself.
_OWN_CONNECTIONS_MAX = 2

# UnregisterBroker removes the only broker's partitions, as an administrator may.
SERVED: dict[int, Any] = {
    cls.__spec__.key: cls for cls in REQUESTS.values() if cls is not UnregisterBrokerRequest
}


class Harm(Exception):  # noqa: N818 - the name states the finding
    """The broker ended, lost a record, or leaked a resource."""


def main() -> int:
    """Fuzz; the exit code is 1 after a finding."""
    parser = argparse.ArgumentParser(prog="python -m integration.fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000, help="number of frames to send")
    parser.add_argument("--seed", type=int, default=None, help="the seed of an earlier run")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    recorded = record_clients()
    print(f"{len(recorded)} frames recorded from real clients", flush=True)
    sent = harm = 0
    while sent < options.frames:
        round_seed = seed + sent
        try:
            frames, facts = play_round(random.Random(round_seed), recorded)
        except Harm as found:
            harm += 1
            print(f"round {round_seed}: {found}", flush=True)
            frames, facts = FRAMES_A_ROUND, {}
        sent += frames
        print(f"{sent} frames, {harm} harmful, valid client: {facts}", flush=True)
    return 1 if harm else 0


def record_clients() -> list[bytes]:
    """The requests of real clients, without the one that creates the valid client's topic.

    With another API key that request would delete it.
    """
    port, behind = free_ports(2)
    relay = Relay(port)
    with tempfile.TemporaryDirectory(prefix="antechamber-fuzz-") as folder:
        relay.forward_to(behind)
        advertise = ("--advertise", f"127.0.0.1:{port}")
        broker = FuzzedBroker(Path(folder), "--port", str(behind), *advertise)
        try:
            let_clients_work(f"127.0.0.1:{port}")
        finally:
            relay.close()
            broker.kill()
    return [frame for frame in relay.frames() if TOPIC.encode() not in frame]


def play_round(chance: random.Random, recorded: Sequence[bytes]) -> tuple[int, dict[str, Any]]:
    """Send frames to a fresh broker; returns their number and the valid client's report."""
    with tempfile.TemporaryDirectory(prefix="antechamber-fuzz-") as folder:
        secured = secured_options()
        broker = FuzzedBroker(Path(folder), *secured)
        client = ValidClient(broker.bootstrap)
        latest: deque[Session] = deque(maxlen=_KEPT_SESSIONS)
        try:
            begin = time.monotonic()
            sessions = Sessions(chance, SERVED, recorded, broker.reserved_topic())
            frames = _play(
                broker, sessions, HostileLogins(chance, broker.listeners, sessions), latest
            )
            seconds = time.monotonic() - begin
            facts = client.finish()
            _check_that_nothing_is_left(broker)
            broker.stop()
            FuzzedBroker(Path(folder), *secured).stop()
        except (AssertionError, OSError) as error:
            raise Harm(_report(broker, latest, error)) from error
        finally:
            client.kill()
            broker.kill()
    return frames, facts | {"frames_a_second": round(frames / seconds)}


def _play(
    broker: FuzzedBroker, sessions: Sessions, logins: HostileLogins, latest: deque[Session]
) -> int:
    clients = HostileClients(broker.address, sessions.drawing.learn)
    frames = 0
    for number in range(FRAMES_A_ROUND):
        session = sessions.draw()
        latest.append(session)
        clients.play(session)
        frames += len(session.frames)
        if number % _LOGIN_EVERY_SESSIONS == 0:
            frames += logins.play()
        if number % _LOOK_EVERY_SESSIONS == 0:
            assert broker.is_alive, "the broker has ended"
            assert broker.memory_bytes() < _MEMORY_MAX, f"{broker.memory_bytes() >> 20} MiB"
        if frames >= FRAMES_A_ROUND:
            break
    clients.finish()
    logins.finish()
    return frames


def _check_that_nothing_is_left(broker: FuzzedBroker) -> None:
    """Check that all connections of clients, descriptors and operations are released."""

    def is_quiet() -> bool:
        return bool(broker.node()["connections"] <= _OWN_CONNECTIONS_MAX)

    eventually(is_quiet, "an end of all connections")
    partitions = sum(len(topic["partitions"]) for topic in broker.admin.cluster()["topics"])
    descriptors = broker.descriptors()
    assert descriptors < 100 + partitions * _DESCRIPTORS_A_PARTITION, f"{descriptors} descriptors"
    delayed = {each["name"]: each["num_delayed"] for each in broker.node()["purgatories"]}
    assert not delayed["Fetch"], delayed
    assert not delayed["Produce"], delayed


def _report(broker: FuzzedBroker, latest: Sequence[Session], error: BaseException) -> str:
    """Describe the finding; sessions that end a fresh broker are written to the corpus."""
    if not broker.has_ended_soon():
        return f"{error}\n{broker.error()}\n{broker.administration()}"
    last = broker.error()
    what = next((line for line in reversed(last.splitlines()) if "Error" in line), error)
    if not ends_a_broker(latest):
        return f"{error}; its last {len(latest)} sessions do not end another\n{last}"
    path = save(shrunk(latest, ends_a_broker), str(what).strip(" |"))
    return f"{error}: {path.name}\n{last}"


def ends_a_broker(sessions: Sequence[Session]) -> bool:
    """Whether these sessions end a fresh broker."""
    with tempfile.TemporaryDirectory(prefix="antechamber-fuzz-") as folder:
        broker = FuzzedBroker(Path(folder))
        try:
            clients = HostileClients(broker.address, _learn_nothing)
            for session in sessions:
                clients.play(session)
            clients.finish()
            broker.stop()
        except (AssertionError, OSError):
            return broker.has_ended_soon()
        finally:
            broker.kill()
    return False


def _learn_nothing(_response: object) -> None:
    """Report on the shrunk sessions without drawing new ones."""


if __name__ == "__main__":
    sys.exit(main())
