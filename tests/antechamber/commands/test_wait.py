"""The ``antechamber wait`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from antechamber.commands import wait as wait_command
from broker.admin.conditions.table import CONDITIONS
from tests.admin_server import serving
from tests.client_facts import group_member, known_group
from tests.facts import FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A group whose member has two partitions."""
    facts = FakeFacts()
    facts.known_groups = [known_group("g", "Stable", group_member("a", orders=[0, 1]))]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


@pytest.mark.usefixtures("facts")
def test_a_condition_that_holds_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 0."""
    assert main(["wait", "assigned", "--group", "g", "--partitions", "2"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_finding_can_be_printed(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """As the admin interface returns it."""
    assert main(["wait", "group-stable", "--group", "g", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"group": facts.known_groups[0]}


@pytest.mark.usefixtures("facts")
def test_a_timeout_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    """The line says what is missing."""
    assert main(["wait", "assigned", "--group", "g", "--partitions", "3", "--timeout", "1ms"]) == 1
    missing = "group g: member a has 2 of 3 partitions; there is: group g is Stable"
    assert capsys.readouterr() == ("", f"antechamber wait: not within 1 ms: {missing}\n")


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["assigned"], "--group: give the group to wait for"),
        (["topic"], "--topic: give the topic to wait for"),
        (
            ["requests", "--since", "mark-77"],
            (
                "--since: there is no mark 'mark-77' among the latest 256; "
                "antechamber requests --mark makes one"
            ),
        ),
        (["hw", "--timeout", "2h"], "--timeout: 7200.0 is not a number of seconds from 0 to 3600"),
        (
            ["hw", "--group", "g"],
            "--group: not allowed here; allowed are --topic, --partition, --timeout\n",
        ),
        (["committed", "--group", "g", "--lag", "x"], "--lag: 'x' is not a whole number"),
        (["hw", "--timeout", "5"], "--timeout: '5' is not a whole number with a unit of ms, s,"),
        (["rain"], "CONDITION: 'rain' is not one of assigned, committed, "),
    ],
)
def test_invalid_options_have_exit_code_2(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that a script can distinguish them from a timeout."""
    assert main(["wait", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"antechamber wait: {line}")


def test_each_condition_of_the_broker_can_be_named() -> None:
    """With hyphens for underscores."""
    command = wait_command.parser()
    for name in CONDITIONS:
        assert command.parse_args([name.replace("_", "-")]).condition in wait_command.CONDITIONS
