"""Records of a real client that has logged in name its principal and its listener."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from antechamber import Cluster
from antechamber.explain import explanation
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.processes.server_process import ServerProcess

TOPIC, CLIENT, USER, PASSWORD = "guarded", "billing", "alice", "alices-word-51c2"
NAMED = f"{CLIENT} (User:{USER}, listener CLIENTS)"
WAIT_MS = 60_000
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_CONFIG = {
    "listeners": "CLIENTS://127.0.0.1:0",
    "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT",
    "inter.broker.listener.name": "CLIENTS",
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.clients.plain.sasl.jaas.config": (
        f'{_MODULE} username="{USER}" password="{PASSWORD}" user_{USER}="{PASSWORD}";'
    ),
}


@pytest.fixture(scope="module")
def secured() -> Iterator[Cluster]:
    """A node with one listener, on which clients log in by PLAIN."""
    with Cluster(config=_CONFIG, topics=[TOPIC], record=True) as running:
        yield running


@contextmanager
def waiting(bootstrap: str, client: str = CLIENT) -> Iterator[None]:
    """A consumer whose fetch waits."""
    settings: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "client.id": client,
        "group.id": "unused",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": PASSWORD,
        "fetch.wait.max.ms": WAIT_MS,
        "socket.timeout.ms": WAIT_MS + 10_000,
        "enable.auto.commit": False,
    }
    consumer = Consumer(settings)
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        consumer.poll(0)
        yield
    finally:
        consumer.close()


def command(cluster: Cluster, *arguments: str) -> str:
    """The output of a command for the client's fetch, on one line."""
    which = ["--api", "Fetch", "--client", CLIENT, "--admin", cluster.admin]
    requested = [sys.executable, "-m", "antechamber", *arguments, *which]
    ended = subprocess.run(
        requested, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=True
    )
    return " ".join(ended.stdout.split())


def test_a_waiting_request_names_them(secured: Cluster) -> None:
    """In the table, as JSON, and in the explanation."""
    with waiting(secured.bootstrap):
        secured.wait_parked("Fetch", TOPIC, timeout=60)

        assert f" of {NAMED}, to node 1" in command(secured, "requests", "--parked")
        parked = json.loads(command(secured, "requests", "--parked", "--json"))
        assert (parked["principal"], parked["listener"]) == (f"User:{USER}", "CLIENTS")
        assert f"of client {NAMED} requested" in command(secured, "explain")


def test_a_wait_record_names_them(secured: Cluster) -> None:
    """Of a fetch whose consumer has left; the requests of its login are anonymous."""
    with waiting(secured.bootstrap):
        secured.wait_parked("Fetch", TOPIC, timeout=60)
    eventually(lambda: bool(secured.requests(api="Fetch", client=CLIENT)), "the fetch has ended")

    record, *_ = secured.requests(api="Fetch", client=CLIENT)
    logins = secured.requests(api="SaslAuthenticate", client=CLIENT)
    assert (record["principal"], record["listener"]) == (f"User:{USER}", "CLIENTS")
    assert {each["principal"] for each in logins} == {"User:ANONYMOUS"}
    assert f"of client {NAMED} requested" in explanation(record)[0]
    assert f" of {NAMED}, to node 1" in command(secured, "requests")


def test_a_proxy_records_the_user_of_a_login(secured: Cluster, tmp_path: Path) -> None:
    """The name and not the password; the listener is not known."""
    written = tmp_path / "records"
    words = ["record", "--upstream", secured.bootstrap, "--records", str(written)]
    proxy = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")
    try:
        eventually(lambda: "bootstrap=" in proxy.stdout(), "the proxy's first line")
        _, _, rest = proxy.stdout().partition("bootstrap=")
        with waiting(rest.split()[0], "proxied"):
            secured.wait_parked("Fetch", TOPIC, client="proxied", timeout=60)
    finally:
        proxy.stop()

    records = [json.loads(line) for line in written.read_text().splitlines()]
    found = {(each["api"], each["principal"], each["listener"]) for each in records}
    assert {("SaslAuthenticate", None, None), ("Fetch", f"User:{USER}", None)} <= found
    assert PASSWORD not in written.read_text()
