"""The ``antechamber share`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from antechamber.commands import share as share_command
from tests.admin_server import serving
from tests.antechamber.follow_pauses import Meanwhile, pauses_of
from tests.client_facts import in_flight_batch, share_partition
from tests.facts import FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """Two share partitions, of which one has records in flight."""
    facts = FakeFacts()
    batches = (
        in_flight_batch(2, 4, "acquired", "m-1", 12_300),
        in_flight_batch(5, 5, "available", deliveries=2),
        in_flight_batch(6, 9, "archived", "m-1", 900, is_being_stored=True),
    )
    window = {"start_offset": 2, "acquired": 3, "available": 1, "in_flight": 8, "lag": 4}
    stored = {"state": "stored", "members": [], "in_flight": 0, "node": -1}
    unknown = {"start_offset": None, "high_watermark": None, "lag": None}
    facts.known_share_partitions = [
        share_partition(0, *batches, **window),
        share_partition(1, **stored, **unknown),
    ]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Perform actions, one in each pause of --follow, and then raise KeyboardInterrupt."""
    return pauses_of(share_command, monkeypatch)


@pytest.mark.usefixtures("facts")
def test_each_batch_has_its_member_and_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    """Above them is the progress of the share partition."""
    assert main(["share"]) == 0
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "group workers, orders-0, node 1: start offset 2, high watermark 10, lag 4",
        "  3 acquired, 1 available, 8 of 2,000 in flight",
        "  fetched by billing (m-1)",
        "    offsets  state                   delivery  member  lock expires in",
        "        2-4  acquired                1 of 5    m-1              12.3 s",
        "          5  available               2 of 5",
        "        6-9  archived, being stored  1 of 5    m-1              900 ms",
        "group workers, orders-1, no leader: no member has fetched it yet",
    ]


def test_share_partitions_are_selected(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json, a line is the object that the admin interface returns."""
    command = ["share", "--group", "workers", "--topic", "orders", "--partition", "0", "--json"]
    assert main([*command, "--batches", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = facts.known_share_partitions[0]
    assert found == {**expected, "batches": expected["batches"][:1]}


@pytest.mark.usefixtures("facts")
def test_batches_that_are_not_shown_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """--batches limits those of each share partition."""
    assert main(["share", "--batches", "1"]) == 0
    assert "\n    and 2 more\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"state": "loading", "start_offset": None}, "its leader reads the stored state"),
        ({"state": "invalid"}, "its stored state cannot be used"),
        ({"state": "stored"}, "no member has a session"),
        ({"members": []}, "no member fetches it"),
        (
            {"members": [{"member": name, "client_id": None} for name in "ab"]},
            "fetched by a and b",
        ),
    ],
)
def test_the_state_of_a_share_partition_is_named(
    facts: FakeFacts,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, object],
    words: str,
) -> None:
    """A share partition without sessions, or without offsets, has a reason."""
    facts.known_share_partitions = [share_partition(0, **changed)]
    assert main(["share"]) == 0
    assert words in capsys.readouterr().out


def test_a_broker_without_share_groups_has_one_line(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for a group that does not exist."""
    assert main(["share", "--group", "other"]) == 0
    facts.known_share_partitions = []
    assert main(["share"]) == 0
    assert capsys.readouterr().out == "there is no share partition\n" * 2


def test_follow_prints_changes(
    facts: FakeFacts, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time that passes is not a change."""
    first, second = facts.known_share_partitions

    def pass_time() -> None:
        first["batches"][0]["lock_expires_in_ms"] = 12_000

    changed = {**second, "state": "loading"}
    meanwhile(pass_time, lambda: facts.known_share_partitions.__setitem__(1, changed))
    assert main(["share", "--follow", "--json"]) == 130
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [(each["partition"], each["state"]) for each in found] == [
        (0, "active"),
        (1, "stored"),
        (1, "loading"),
    ]


def test_follow_redraws_the_table(
    facts: FakeFacts,
    meanwhile: Meanwhile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A terminal shows the share partitions as they come and go."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    meanwhile(facts.known_share_partitions.clear)

    assert main(["share", "--follow"]) == 130

    out = capsys.readouterr().out
    assert out.index("orders-0") < out.index("there is no share partition")


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--follow"], "--follow: a table needs a terminal; add --json"),
        (["--partition", "0"], "--partition: give --topic as well"),
        (["--partition", "x"], "--partition: 'x' is not a partition"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """The exit code is that of a usage error."""
    assert main(["share", *options]) == 2
    assert message in capsys.readouterr().err
