"""Programs with real clients under schedules of faults, by ``antechamber chaos``."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # no types there
import pytest
import yaml

from antechamber import Cluster, StartError
from antechamber.chaos.draw import draw
from antechamber.chaos.schedule_file import as_yaml, schedule
from integration.chaos import shop
from integration.machine.deadlines import ENDS_WITHIN_S, eventually

PROGRAMS = Path(__file__).parent / "chaos"
SHOP = [sys.executable, str(PROGRAMS / "shop.py")]
CHAOS = [sys.executable, "-m", "antechamber", "chaos"]
ON_ORDERS = ["--brokers", "1", "--topic", "orders", "--timeout", "90"]
SHIPPING = [sys.executable, str(PROGRAMS / "shipping.py")]
ON_SHIPPING = [*ON_ORDERS, "--topic", "shipped"]
# Lost responses and errors of Produce requests are drawn from it.
SEED = "20"
REPLAYS = 20
# A rule, and the client, API and number of the request that it hit.
Hit = tuple[int, str, str, int]
WITHIN_S = 300


@pytest.fixture(autouse=True)
def _only_antechamber(against: str) -> None:
    if against != "antechamber":
        pytest.skip("starts clusters of its own")


def chaos(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [*CHAOS, *words], capture_output=True, text=True, timeout=2 * WITHIN_S, check=False
    )


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """One node with the topic of the program."""
    with Cluster(topics=["orders"]) as kafka:
        yield kafka


# The first hits a produce of one client, the second requests of both clients.
@pytest.mark.parametrize(("seed", "apis"), [(20, {"Produce"}), (25, {"Produce", "ListOffsets"})])
def test_a_schedule_hits_the_same_requests_each_time(
    kafka: Cluster, seed: int, apis: set[str]
) -> None:
    """Of twenty runs: the same rules, clients, APIs and numbers of requests."""
    hits = set[tuple[Hit, ...]]()
    for _ in range(REPLAYS):
        kafka.reset()
        rules = kafka.faults.add_rules(*draw(seed, 1))
        assert shop.main(kafka.bootstrap, is_idempotent=True) == 0
        firings = kafka.faults.firings()
        hits.add(tuple(sorted(hit(each, rules[0].id) for each in firings)))

    assert len(hits) == 1, hits
    assert {api for _, _, api, _ in hits.pop()} == apis


def hit(firing: dict[str, Any], first: int) -> Hit:
    """The rule by its place in the schedule, and the request."""
    return firing["rule"] - first, firing["client_id"], firing["api"], firing["nth"]


def test_a_cluster_starts_with_a_schedule(tmp_path: Path) -> None:
    """Its rules are set when it is ready; with an invalid rule it does not start."""
    path = tmp_path / "s.yaml"
    path.write_text(as_yaml(schedule(draw(9, 1))))
    with Cluster(faults=path) as kafka:
        assert [rule["name"] for rule in kafka.faults.all()] == [
            rule["name"] for rule in draw(9, 1)
        ]

    path.write_text("rules: [{action: {type: close}}, {action: {type: close}, nth: 0}]")
    with pytest.raises(StartError, match=r"--faults: .*s\.yaml: rules\[1\]: nth: 0 is not a whole"):
        Cluster(faults=path)


def test_a_wrong_program_is_found_and_its_schedule_shrunk(tmp_path: Path) -> None:
    """A producer without idempotence needs one lost response; the schedule replays the failure."""
    path = tmp_path / "lost.yaml"
    words = ["--seed", SEED, *ON_ORDERS, "--output", str(path), "--against", *SHOP]
    done = chaos(*words)
    assert done.returncode == 1, done.stderr

    rules: list[dict[str, Any]] = yaml.safe_load(path.read_text())["rules"]
    assert [rule["action"] for rule in rules] == [{"type": "close", "when": "after"}]
    assert rules[0]["match"] == {"api": "Produce"}
    replayed = chaos("--schedule", str(path), *ON_ORDERS, "--against", *SHOP)
    assert replayed.returncode == 1, replayed.stderr
    assert "Produce of client 'shop'" in replayed.stdout


def test_a_consumer_that_commits_too_early_is_found(tmp_path: Path) -> None:
    """It loses an order whose shipping fails: one failed produce is needed, which is replayed."""
    path = tmp_path / "early.yaml"
    words = ["--seed", "1", *ON_SHIPPING, "--output", str(path), "--against", *SHIPPING, "early"]
    done = chaos(*words)
    assert done.returncode == 1, done.stderr
    assert "not shipped are" in done.stderr

    [rule] = yaml.safe_load(path.read_text())["rules"]
    assert rule["match"] == {"api": "Produce"}
    replay = ["--schedule", str(path), *ON_SHIPPING, "--against", *SHIPPING]
    replayed = chaos(*replay, "early")
    assert replayed.returncode == 1, replayed.stderr
    assert "Produce of client 'shipper'" in replayed.stdout
    assert chaos(*replay).returncode == 0  # the same faults, and a consumer that commits later


# A producer that stores no order twice, and a consumer that skips none.
@pytest.mark.timeout(2 * WITHIN_S)
@pytest.mark.parametrize(
    ("program", "first_seed"),
    [([*SHOP, "idempotent"], SEED), (SHIPPING, "100")],
    ids=["producer", "consumer"],
)
def test_a_correct_program_survives(program: list[str], first_seed: str) -> None:
    """On three nodes, of which some stop or pause."""
    options = ["--seed", first_seed, "--seeds", "2", "--timeout", "90"]
    done = chaos(*options, "--topic", "orders", "--topic", "shipped", "--against", *program)

    assert done.returncode == 0, done.stderr


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    """The program and the broker end."""
    started = tmp_path / "started"
    program = [sys.executable, str(PROGRAMS / "endless.py"), str(started)]
    with subprocess.Popen(
        [*CHAOS, "--seed", SEED, "--brokers", "1", "--against", *program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        eventually(started.exists, "the program has started", within=60)
        processes = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=ENDS_WITHIN_S)

    assert process.returncode == 130, output
    assert len(processes) >= 2
    assert psutil.wait_procs(processes, timeout=60)[1] == []
