"""The admin interface of a broker over TLS with tokens: documented commands, and bad clients."""

from __future__ import annotations

import re
import shlex
import socket
import ssl
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from antechamber import AdminError, NoBroker, RunningCluster
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.processes.antechamber import Antechamber, Serve

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "security.md").read_text()
SECTION = PAGE.partition("## Admin interface")[2]
[COMMANDS] = re.findall(r"^```sh\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
FULL, READ_ONLY = "secret", "look"  # as in the page
# What a client sends that then stops: nothing, a part of its handshake, a request without TLS.
BEGINNINGS = (b"", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n\r\n")
HALF_OPEN = 200  # more than the interface serves at a time


@pytest.fixture
def secured(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Antechamber:
    """A broker whose admin interface is on all addresses."""
    monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", FULL)
    monkeypatch.setenv("ANTECHAMBER_ADMIN_READ_ONLY_TOKEN", READ_ONLY)
    running = serve("--tls", "--admin-host", "0.0.0.0", "--topic", "orders")
    monkeypatch.delenv("ANTECHAMBER_ADMIN_TOKEN")
    monkeypatch.delenv("ANTECHAMBER_ADMIN_READ_ONLY_TOKEN")
    return running


def handle(running: Antechamber, token: str | None) -> RunningCluster:
    """A handle with the certificate of the throw-away authority."""
    return RunningCluster(running.ready["admin"], token=token, ca=running.ready["tls"]["ca"])


def test_the_documented_commands(secured: Antechamber, tmp_path: Path) -> None:
    """Those of docs/how-to/security.md, with the address of the broker."""
    (tmp_path / "secret").write_text(FULL)
    (tmp_path / "ca.pem").symlink_to(secured.ready["tls"]["ca"])
    printed = {}
    for line in COMMANDS.splitlines():
        words = shlex.split(line.replace("https://broker.example:9644", secured.ready["admin"]))
        if words[0] == "antechamber":
            words[0:1] = [sys.executable, "-m", "antechamber"]
        else:
            words[1:1] = ["--silent", "--show-error", "--fail"]
        ran = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
        )
        assert ran.returncode == 0, ran.stderr
        printed[line.partition(" https")[0]] = ran.stdout

    pause, _, metrics, resume = printed.values()
    assert pause == "node 1 is paused\n"
    assert "# TYPE kafka_" in metrics
    assert '"state": "running"' in resume


def test_a_read_only_token_reads(secured: Antechamber) -> None:
    """It may wait for a condition, too. A change is refused, and has no effect."""
    reading = handle(secured, READ_ONLY)

    reading.wait_in_sync("orders", timeout=30)
    with pytest.raises(AdminError, match="read-only and does not allow POST") as refused:
        reading.stop(1)
    assert refused.value.status == 403
    assert [node["state"] for node in reading.cluster()["nodes"]] == ["running"]


@pytest.mark.parametrize("token", [None, "wrong"])
def test_other_clients_are_refused(secured: Antechamber, token: str | None) -> None:
    """A client that does not know the authority refuses the broker."""
    with pytest.raises(AdminError) as refused:
        handle(secured, token).cluster()
    assert refused.value.status == 401
    with pytest.raises(NoBroker, match="has no valid certificate"):
        RunningCluster(secured.ready["admin"], token=FULL).cluster()


def test_clients_without_tls_and_half_open_handshakes_affect_no_others(
    secured: Antechamber,
) -> None:
    """When another client connects, the connection that is silent the longest is closed."""
    parts = urlsplit(secured.ready["admin"])
    assert parts.hostname is not None
    assert parts.port is not None
    with ExitStack() as opened:
        silent = []
        for number in range(HALF_OPEN):
            client = opened.enter_context(socket.create_connection((parts.hostname, parts.port)))
            client.sendall(BEGINNINGS[number % len(BEGINNINGS)])
            silent.append(client)
        assert handle(secured, FULL).cluster()["topics"][0]["name"] == "orders"
        silent[0].settimeout(60)
        assert silent[0].recv(100) == b""
    assert handle(secured, FULL).cluster()["nodes"][0]["state"] == "running"
    log = secured.process.stderr()
    assert "the admin interface: TLS failed: the peer sent an HTTP request without TLS" in log
    assert "Traceback" not in log


def test_a_closed_tls_session_leaves_no_descriptor(secured: Antechamber) -> None:
    """A refused handshake leaves none either."""
    descriptors = Path(f"/proc/{secured.pid}/fd")
    if not descriptors.exists():
        pytest.skip("needs /proc")
    handle(secured, FULL).cluster()
    before = len(list(descriptors.iterdir()))
    for _ in range(20):
        handle(secured, FULL).cluster()
        with pytest.raises(NoBroker):
            RunningCluster(secured.ready["admin"]).cluster()
    eventually(lambda: len(list(descriptors.iterdir())) <= before, "closed", within=30)


def test_a_key_store_of_its_own(serve: Serve, secured: Antechamber) -> None:
    """Its keys have the prefix of the interface, and make TLS the default on loopback."""
    files = secured.ready["tls"]
    prefix = "listener.name.admin-http.ssl.keystore"
    store = ("-c", f"{prefix}.type=PEM", "-c", f"{prefix}.location={files['key_store']}")
    running = serve(*store)

    assert running.ready["admin"].startswith("https://127.0.0.1:")
    assert running.ready["tls"] == {}
    kafka = RunningCluster(running.ready["admin"], ca=files["ca"])
    assert kafka.bootstrap == running.bootstrap


def test_a_modern_version_of_tls_is_used(secured: Antechamber) -> None:
    """The settings are those of the listeners."""
    parts = urlsplit(secured.ready["admin"])
    context = ssl.create_default_context(cafile=secured.ready["tls"]["ca"])
    with (
        socket.create_connection((parts.hostname or "", parts.port or 0)) as client,
        context.wrap_socket(client, server_hostname="localhost") as encrypted,
    ):
        assert encrypted.version() == "TLSv1.3"
