"""The client of the admin interface, with a server of that interface."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from antechamber.admin_client import AdminClient, AdminError, NoBroker
from broker.security.admin_tokens import AdminTokens
from tests.admin_server import serving
from tests.facts import FakeFacts, parked_fetch, parked_produce
from tests.tls import authority, server_context


@pytest.fixture
def facts() -> FakeFacts:
    """A broker with a produce and a fetch that wait."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    return facts


@pytest.fixture
def client(facts: FakeFacts) -> Iterator[AdminClient]:
    """A client of that broker."""
    with serving(facts) as url:
        yield AdminClient(url)


def test_cluster_facts_and_requests(facts: FakeFacts, client: AdminClient) -> None:
    """Parameters that are None are left out."""
    assert client.cluster() == facts.state()
    assert client.requests(parked=1, api=None) == facts.parked
    assert client.requests(parked=1, api="Fetch") == facts.parked[1:]


def test_sessions_of_a_group(facts: FakeFacts, client: AdminClient) -> None:
    """The group is a parameter."""
    facts.member_timeouts = [{"group": "g"}, {"group": "h"}]
    assert client.sessions() == facts.member_timeouts
    assert client.sessions(group="h") == facts.member_timeouts[1:]


def test_orders_to_nodes(facts: FakeFacts, client: AdminClient) -> None:
    """An order returns the new state of the node."""
    assert client.order(3, "pause")["state"] == "paused"
    assert facts.states[3] == "paused"


def test_waiting_for_a_condition(facts: FakeFacts, client: AdminClient) -> None:
    """A wait returns the matching state, or raises TimeoutError with the broker's message."""
    assert client.wait("parked", 5, api="Produce") == {"requests": facts.parked[:1]}
    with pytest.raises(TimeoutError, match="not within 10 ms: there is no topic audit"):
        client.wait("hw", 0.01, topic="audit")


def test_a_timeout_may_be_a_timedelta(facts: FakeFacts, client: AdminClient) -> None:
    """It also limits the time until the response."""
    timeout: Any = timedelta(seconds=5)
    assert client.wait("parked", timeout, api="Produce") == {"requests": facts.parked[:1]}


def test_an_invalid_timeout_names_the_argument(client: AdminClient) -> None:
    """It is not sent to the broker, whose parameter has another name and unit."""
    with pytest.raises(ValueError, match=r"^timeout: -1 is not a number of seconds from 0 to"):
        client.wait("hw", -1)


def test_a_refusal_has_the_brokers_message(client: AdminClient) -> None:
    """An AdminError has the status and the message of the response."""
    with pytest.raises(AdminError, match="node 3 is running, not paused") as caught:
        client.order(3, "resume")
    assert caught.value.status == 409


def test_a_token_is_sent(facts: FakeFacts) -> None:
    """The broker refuses a request without its token."""
    with serving(facts, AdminTokens("secret")) as url:
        assert AdminClient(url, token="secret").cluster()["cluster_id"] == "fake"
        with pytest.raises(AdminError, match="the bearer token is missing or wrong"):
            AdminClient(url).cluster()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:9644",
        "ftp://h:1",
        "https://h",
        "http://h",
        "http://h:1/x",
        "http://h:port",
        "http://u@h:1",
        "//[",
    ],
)
def test_an_invalid_url(url: str) -> None:
    """A URL with a path, a user or another scheme is an error at once."""
    with pytest.raises(ValueError, match="is not http://HOST:PORT or https://HOST:PORT"):
        AdminClient(url)


def test_a_url_with_a_slash_or_an_ipv6_address() -> None:
    """A final slash is removed, and IPv6 addresses are valid."""
    assert AdminClient("http://Localhost:9644/").url == "http://Localhost:9644"
    assert AdminClient("http://[::1]:9644").url == "http://[::1]:9644"


def test_a_refused_connection() -> None:
    """The message names the address and the error of the operating system."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(
        NoBroker, match=f"^no broker at http://127.0.0.1:{port}: connection refused$"
    ):
        AdminClient(f"http://127.0.0.1:{port}").cluster()


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (b"\x00\x00\x00\x01?", "is not the admin interface of a broker"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<htm>",
            "is not the admin interface of a broker",
        ),
        (b"", "closed the connection; is it the admin interface of a broker?"),
    ],
)
def test_another_server_at_the_address(response: bytes, words: str) -> None:
    """Servers that do not speak HTTP, that send no JSON, or that close the connection."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def serve() -> None:
            connected, _ = other.accept()
            with connected:
                connected.recv(1 << 16)
                connected.sendall(response)

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(NoBroker) as caught:
            AdminClient(url).cluster()
        thread.join()
        assert str(caught.value) == f"{url} {words}"


@pytest.fixture
def ca(tmp_path: Path) -> Path:
    """A file with the certificate of the authority."""
    file = tmp_path / "ca.pem"
    authority().cert_pem.write_to_path(str(file))
    return file


def test_a_request_over_tls(facts: FakeFacts, ca: Path) -> None:
    """The certificate is verified with the CA, and has the name in the URL."""
    with serving(facts, context=server_context()) as url:
        named = url.replace("127.0.0.1", "localhost")
        assert AdminClient(named, ca=ca).cluster() == facts.state()
        with pytest.raises(NoBroker, match=f"^{url} has no valid certificate: IP address mismatch"):
            AdminClient(url, ca=ca).cluster()
        with pytest.raises(NoBroker, match=r"self-signed .*; give its authority by --admin-ca"):
            AdminClient(named).cluster()


def test_a_self_signed_certificate_may_be_the_ca(facts: FakeFacts, tmp_path: Path) -> None:
    """The certificate of a server itself may be trusted, as by curl."""
    file, leaf = tmp_path / "leaf.pem", authority().issue_cert("localhost")
    leaf.cert_chain_pems[0].write_to_path(str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf.configure_cert(context)
    with serving(facts, context=context) as url:
        client = AdminClient(url.replace("127.0.0.1", "localhost"), ca=file)
        assert client.cluster() == facts.state()


def test_the_wrong_protocol(facts: FakeFacts, ca: Path) -> None:
    """TLS to a server without, and the reverse."""
    with serving(facts) as url:
        encrypted = url.replace("http:", "https:")
        with pytest.raises(NoBroker, match=f"^TLS with {encrypted} failed: "):
            AdminClient(encrypted, ca=ca).cluster()
    with serving(facts, context=server_context()) as url:
        plain = url.replace("https:", "http:")
        with pytest.raises(NoBroker, match=f"^{plain} (is not the admin|closed the connection)"):
            AdminClient(plain).cluster()


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot read .*: No such file"), ("no certificate", "has no certificate in PEM form")],
)
def test_a_file_without_certificates(tmp_path: Path, content: str | None, words: str) -> None:
    """It is an error at once. The system's certificates would not be meant."""
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ValueError, match=words):
        AdminClient("https://localhost:1", ca=file)
    assert AdminClient("http://localhost:1", ca=file).url == "http://localhost:1"


def test_transactions(facts: FakeFacts, client: AdminClient) -> None:
    """A hanging one is aborted by its partition and producer id."""
    facts.open = [{"transactional_id": "billing"}]
    facts.hanging = [{"topic": "t", "partition": 0, "producer_id": 7}]
    assert client.transactions() == facts.open
    assert client.transactions(hanging=1) == facts.hanging
    assert client.abort_transaction("t", 0, 7)["producer_id"] == 7
    assert facts.hanging == []
