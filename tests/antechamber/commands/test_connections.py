"""The ``antechamber connections`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.client_facts import open_connection
from tests.facts import FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A connection of a known client, and one that has sent nothing."""
    facts = FakeFacts()
    silent = {"software": None, "software_version": None, "requests": 0}
    facts.open_connections = [
        {**open_connection("app"), "is_waiting": True},
        {**open_connection(None, 2), **silent},
    ]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


@pytest.mark.usefixtures("facts")
def test_a_connection_has_its_client(capsys: pytest.CaptureFixture[str]) -> None:
    """The columns are as wide as their longest cell."""
    principal = "User:ANONYMOUS (PLAINTEXT)"
    assert main(["connections"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"node  client  library           address          {'principal':26}  requests  idle",
        f"1     app     librdkafka 2.3.0  127.0.0.1:40001  {principal}  7         1.2 s  waits",
        f"1     -       -                 127.0.0.1:40002  {principal}  0         1.2 s",
    ]


def test_a_client_is_selected(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json, a line is the object that the admin interface returns."""
    assert main(["connections", "--client", "app", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts.open_connections[0]


@pytest.mark.usefixtures("facts")
def test_a_client_without_connections_has_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """As a broker without clients."""
    assert main(["connections", "--client", "other", "--followers"]) == 0
    assert capsys.readouterr().out == "no client is connected\n"
