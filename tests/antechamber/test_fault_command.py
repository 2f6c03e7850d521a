"""The ``antechamber fault`` command."""

from __future__ import annotations

import pytest

from antechamber.cli import main
from tests.admin_server import serving
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
        "antechamber fault: there is no node 9; there are 1, 2, 3",
        "antechamber fault: node 3 is running, not paused",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pause"], "the following arguments are required: NODE"),
        (["break", "3"], "pause|resume|stop|start: invalid choice: 'break'"),
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
