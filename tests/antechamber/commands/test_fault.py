"""The ``antechamber fault`` command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.broker.faults.rules import fire, heartbeat
from tests.facts import FakeFacts


def test_a_node_is_paused_resumed_stopped_and_started(capsys: pytest.CaptureFixture[str]) -> None:
    """Each order prints the new state of the node."""
    facts = FakeFacts()
    with serving(facts) as url:
        for order in ("pause", "resume", "stop", "start"):
            assert main(["fault", order, "3", "--admin", url]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "node 3 is paused",
        "node 3 is running",
        "node 3 is stopped",
        "node 3 is running",
    ]


def test_a_refused_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit code is 1 for an unknown node and for a node in another state."""
    with serving(FakeFacts()) as url:
        assert main(["fault", "pause", "9", "--admin", url]) == 1
        assert main(["fault", "resume", "3", "--admin", url]) == 1

    assert capsys.readouterr().err.splitlines() == [
        "antechamber fault: there is no node 9, only 1, 2, 3",
        "antechamber fault: node 3 is running, not paused",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: ORDER; antechamber"),
        (["pause"], "NODE: give the id of one node"),
        (
            ["break", "3"],
            "ORDER: 'break' is not one of pause, resume, stop, shutdown, start, add, ",
        ),
        (["show", "1", "2"], "ID: give the id of one fault rule"),
        (["list", "all"], "list: 'all' is one word too many"),
        (["pause", "3", "--api", "Fetch"], "--api: only fault add has this option"),
        (
            ["add"],
            (
                "add: give an action: error, close, delay, hang, half_open, slow, throttle, "
                "corrupt, stale_metadata, refuse_connections, hold_high_watermark, hold_isr, loss, "
                "cut, node\n"
            ),
        ),
        (["add", "cut"], "add: the action cut needs --link FROM:TO, such as 1:2\n"),
        (["add", "loss", "5"], "add: the action loss needs --link FROM:TO, such as 1:2\n"),
        (["add", "explode"], "add: 'explode' is not one of error, close"),
        (["add", "dely"], "add: 'dely' is unknown; did you mean delay?"),
        (["add", "error"], "add: the action error takes one value, a name such as"),
        (["add", "close", "now"], "add: the action close takes no value"),
        (["add", "delay", "300"], "add delay: '300' is not a whole number with a unit of"),
        (["add", "node", "kill", "2"], "add: the action node takes two values: one of pause"),
        (["add", "slow", "fast"], "add slow: 'fast' is not a whole number from 0"),
        (["add", "close", "--times", "-1"], "--times: '-1' is not a whole number from 1"),
        (["add", "close", "--for", "5"], "--for: '5' is not a whole number with a unit of"),
        (["add", "close", "--node", "a"], "--node: 'a' is not a whole number from 0"),
        (["add", "loss", "much", "--link", "1:2"], "add loss: 'much' is not a number of percent"),
        (["add", "cut", "--link", "1"], "--link: '1' is not FROM:TO, such as 1:2"),
        (["add", "close", "--rules", "x"], "--rules: give no action and no other option"),
        (["add", "--rules", "/no/such/file"], "--rules: cannot read /no/such/file: No such"),
        (["pause", "three"], "NODE: 'three' is not the id of a node"),
        (["pause", "²"], "NODE: '²' is not the id of a node"),
    ],
)
def test_invalid_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, and no request is sent."""
    assert main(["fault", *arguments]) == 2

    line = capsys.readouterr().err
    assert line.startswith(f"antechamber fault: {message}")
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (
            "--api Produce --topic orders --nth 3 --times 1 error NOT_LEADER_OR_FOLLOWER --after",
            {
                "match": {"api": "Produce", "topic": "orders", "from": "client"},
                "nth": 3,
                "times": 1,
                "action": {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER", "when": "after"},
            },
        ),
        (
            "delay 300ms --after --client 'billing*' --node 2 --for 5s --per client --name late",
            {
                "match": {"client": "billing*", "node": 2, "from": "client"},
                "action": {"type": "delay", "ms": 300, "of": "response"},
                "for_ms": 5000,
                "per": "client",
                "name": "late",
            },
        ),
        ("slow 10 --from any", {"action": {"type": "slow", "bytes_per_second": 10}}),
        ("throttle 1s --group g --api Heartbeat", {"action": {"type": "throttle", "ms": 1000}}),
        ("refuse_connections --node 1", {"match": {"node": 1}}),
        ("node stop 2", {"action": {"type": "node", "do": "stop", "node": 2}}),
        ("cut --link 1:controller", {"link": {"from": 1, "to": "controller"}}),
        ("cut --link controller:2", {"link": {"from": "controller", "to": 2}}),
        (
            "hold_high_watermark 5 --topic orders --partition 0",
            {
                "match": {"topic": "orders", "partition": 0},
                "action": {"type": "hold_high_watermark", "at": 5},
            },
        ),
        ("hold_isr --topic orders", {"action": {"type": "hold_isr"}}),
        (
            "loss 12.5 --link '*:2' --seed 7",
            {"link": {"to": 2}, "action": {"type": "loss", "percent": 12.5, "seed": 7}},
        ),
    ],
)
def test_a_rule_is_set_by_options(command: str, rule: dict[str, Any]) -> None:
    """Options may be before and behind the action."""
    facts = FakeFacts()
    with serving(facts) as url:
        assert main(["fault", "add", *shlex.split(command), "--admin", url]) == 0

    [added] = facts.faults.all()
    assert added.facts().items() >= rule.items()


@pytest.mark.parametrize("form", ["one", "list", "object", "schedule"])
def test_rules_are_set_from_a_file(form: str, tmp_path: Path) -> None:
    """One rule, a list, an object with ``rules``, or a schedule."""
    rule = {"action": {"type": "close"}}
    value = {
        "one": rule,
        "list": [rule],
        "object": {"rules": [rule]},
        "schedule": {"schedule": 1, "seed": 7, "rules": [rule]},
    }[form]
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(value))
    facts = FakeFacts()
    with serving(facts) as url:
        assert main(["fault", "add", "--rules", str(path), "--admin", url]) == 0

    assert len(facts.faults.all()) == 1


def test_rules_are_listed_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    """The list has the counts and the last request."""
    facts = FakeFacts()
    facts.faults.add(
        {"name": "late", "times": 1, "action": {"type": "delay", "ms": 300, "of": "response"}}
    )
    fire(facts.faults, heartbeat("billing"))
    with serving(facts) as url:
        assert main(["fault", "list", "--admin", url]) == 0
        assert main(["fault", "show", "1", "--admin", url]) == 0
        assert main(["fault", "remove", "1", "--admin", url]) == 0
        assert main(["fault", "clear", "--admin", url]) == 0
        assert main(["fault", "list", "--admin", url]) == 0
        assert main(["fault", "list", "--json", "--admin", url]) == 0
        assert main(["fault", "show", "1", "--admin", url]) == 1

    out = capsys.readouterr().out
    assert out.count(" 1   spent       1         1   late: delay 300 ms of the response") == 2
    assert out.count("all requests, once") == 2
    assert out.count("last: Heartbeat #5 of billing, to node 1") == 2
    assert out.splitlines()[-4:] == [
        "fault rule 1 is removed; it fired 1 time",
        "0 fault rules are removed",
        "no fault rule is set",
        '{"rules": []}',
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            "close --topic t --api Heartbeat",
            "--topic: Heartbeat requests have no topic; it is allowed for",
        ),
        ("error FOO", "add error: 'FOO' is unknown; give the name of an error"),
        ("close --for 0s", "--for in ms: 0 is not a whole number from 1 to"),
        ("cut --link 1:9", "--link: there is no node 9, only 1, 2, 3"),
    ],
)
def test_a_refused_rule(arguments: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 2, and the line is that of the broker, with the option."""
    with serving(FakeFacts()) as url:
        assert main(["fault", "add", *arguments.split(), "--admin", url]) == 2

    assert capsys.readouterr().err.startswith(f"antechamber fault: {line}")


def test_a_refused_file_of_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names the option and the property in the file."""
    file = tmp_path / "rules.json"
    with serving(FakeFacts()) as url:
        file.write_text("[]")
        assert main(["fault", "add", "--rules", str(file), "--admin", url]) == 2
        file.write_text('{"action": {"type": "close"}, "for_ms": 0}')
        assert main(["fault", "add", "--rules", str(file), "--admin", url]) == 2

    empty, wrong = capsys.readouterr().err.splitlines()
    assert empty.startswith(f"antechamber fault: --rules: {file} has no rule; give a rule")
    assert wrong.startswith("antechamber fault: --rules: for_ms: 0 is not a whole number")
