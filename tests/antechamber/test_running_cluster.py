"""`RunningCluster`: a cluster that another process has started."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

import antechamber
from antechamber import Node, RunningCluster
from broker.security.admin_tokens import AdminTokens
from tests.admin_server import serving
from tests.facts import FakeFacts, parked_fetch
from tests.tls import authority, server_context

TOKENS = AdminTokens("all", "reads")


def test_its_addresses_are_those_of_its_nodes() -> None:
    """They are requested each time."""
    with serving(FakeFacts()) as url:
        kafka = RunningCluster(url)
        assert kafka.admin == url
        assert kafka.bootstrap == "127.0.0.1:9092,127.0.0.1:9093,127.0.0.1:9094"
        assert kafka.nodes[0] == Node(1, "127.0.0.1", 9092)
        assert kafka.is_running
    assert not kafka.is_running


def test_it_is_used_over_tls_with_a_token(tmp_path: Path) -> None:
    """The file has the certificate of the authority."""
    facts, ca = FakeFacts(), tmp_path / "ca.pem"
    facts.parked = [parked_fetch()]
    authority().cert_pem.write_to_path(str(ca))
    with serving(facts, TOKENS, server_context()) as url:
        kafka = RunningCluster(url.replace("127.0.0.1", "localhost"), token="all", ca=ca)
        assert kafka.wait_parked("Fetch") == facts.parked
        kafka.pause(3)

    assert facts.states[3] == "paused"


def test_a_read_only_token_changes_nothing() -> None:
    """The message is the broker's."""
    facts = FakeFacts()
    with serving(facts, TOKENS) as url:
        kafka = RunningCluster(url, token="reads")
        assert kafka.cluster() == facts.state()
        with pytest.raises(antechamber.AdminError, match="the token is read-only") as refused:
            kafka.pause(3)

    assert refused.value.status == 403
    assert facts.states[3] == "running"


def test_no_broker_is_an_error() -> None:
    """Also that of a property."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(antechamber.NoBroker):
        _ = RunningCluster(url).bootstrap


def test_a_representation_has_the_url() -> None:
    """It makes no request."""
    assert repr(RunningCluster("http://h:1")) == "<RunningCluster: http://h:1>"


def test_a_token_is_not_shown() -> None:
    """Neither by the text of the handle nor by the error for a wrong one."""
    kafka = RunningCluster(token="secret-4711")

    assert "4711" not in repr(vars(kafka)) + repr(kafka)
    with pytest.raises(ValueError, match="one word of ASCII") as refused:
        RunningCluster(token="secret 4711")
    assert "4711" not in str(refused.value)
