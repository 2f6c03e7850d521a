"""The ``antechamber transactions`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts


def _open(state: str, missing: int) -> dict[str, Any]:
    partitions = [
        {"topic": "t", "partition": index, "has_marker": bool(missing) and index >= missing}
        for index in range(3)
    ]
    return {
        "node": 2,
        "transactional_id": "billing",
        "producer_id": 7,
        "producer_epoch": 3,
        "state": state,
        "age_ms": 4200,
        "timeout_ms": 60_000,
        "partitions": partitions,
        "markers_outstanding": missing,
    }


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with two open transactions, and one that hangs."""
    facts = FakeFacts()
    facts.open = [_open("Ongoing", 0), _open("PrepareCommit", 1)]
    hanging = {"node": 1, "topic": "t", "partition": 4, "producer_id": 9, "producer_epoch": 0}
    facts.hanging = [hanging | {"coordinator_epoch": -1, "first_offset": 12, "age_ms": 900}]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


def test_open_transactions_have_their_state_and_partitions(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """If markers are outstanding, only the partitions that need one."""
    assert main(["transactions"]) == 0
    who = "billing (producer id 7, epoch 3)"
    assert capsys.readouterr().out.splitlines() == [
        "      open  transaction",
        f"     4.2 s  {who}: Ongoing: t-0, t-1, t-2, coordinated by node 2",
        f"     4.2 s  {who}: PrepareCommit, markers missing in 1: t-0, coordinated by node 2",
    ]


def test_a_hanging_transaction_is_listed_and_aborted(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The arguments of abort are those that the list shows."""
    assert main(["transactions", "list", "--hanging"]) == 0
    [_, line] = capsys.readouterr().out.splitlines()
    assert line == "    900 ms  producer id 9, epoch 0, in t-4 from offset 12, led by node 1"

    where = ["--topic", "t", "--partition", "4", "--producer-id", "9"]
    assert main(["transactions", "abort", *where]) == 0
    out = capsys.readouterr().out
    assert out == "aborted the transaction of producer id 9 in t-4 from offset 12\n"
    assert main(["transactions", "--hanging"]) == 0
    assert capsys.readouterr().out == "no transaction hangs\n"
    assert main(["transactions", "abort", *where]) == 1


def test_abort_needs_all_of_its_arguments(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names them."""
    assert main(["transactions", "abort", "--topic", "t"]) == 2
    assert "give --topic, --partition and --producer-id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["list", "--topic", "t"], "list: --topic, --partition and --producer-id are for abort"),
        (["--producer-id", "9"], "list: --topic, --partition and --producer-id are for abort"),
        (
            ["abort", "--hanging", "--topic", "t", "--partition", "4", "--producer-id", "9"],
            "abort: --hanging is for list",
        ),
    ],
)
def test_an_option_of_the_other_action_is_refused(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str], words: list[str], remedy: str
) -> None:
    """It would have no effect."""
    assert main(["transactions", *words]) == 2
    assert remedy in capsys.readouterr().err
    assert facts.hanging


def test_json_has_an_object_a_line(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that the admin interface returns."""
    assert main(["transactions", "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == facts.open
