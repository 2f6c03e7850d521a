"""Invalid starts of `antechamber serve`: exit code 2 and one line with the reason."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from integration.machine.deadlines import ENDS_WITHIN_S
from integration.processes.antechamber import Antechamber, start_serve
from integration.processes.server_process import ServerProcess

Refused = Callable[..., str]


@pytest.fixture
def refused(against: str, tmp_path: Path) -> Iterator[Refused]:
    """Start the broker, which must exit with 2 and one line on stderr, and return the line."""
    if against != "antechamber":
        pytest.skip("tests our own process")
    started: list[ServerProcess] = []

    def start(*arguments: str) -> str:
        process = start_serve(tmp_path / "run", *arguments)
        started.append(process)
        assert process.wait(60) == 2
        assert process.stdout() == ""
        assert not (tmp_path / "run" / "ready.json").exists()
        (line,) = process.stderr().splitlines()
        return line

    yield start
    for process in started:
        process.kill()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["-c", "no.such.key=1"], ["no.such.key"]),
        (["-c", "num.partitions=many"], ["num.partitions", "many"]),
        (["-c", "num.partitions=0"], ["num.partitions", "0"]),
        (["-c", "log.cleanup.policy=burn"], ["log.cleanup.policy", "burn"]),
        (["-c", "just-a-word"], ["just-a-word"]),
        (["--brokers", "0"], ["--brokers", "0"]),
        (["--brokers", "three"], ["--brokers", "three"]),
        (["--port", "65536"], ["--port", "65536"]),
        (["--port", "abc"], ["--port", "abc"]),
        (["--topic", "a/b"], ["--topic", "a/b"]),
        (["--topic", "orders:0"], ["--topic", "orders:0"]),
        (["--topic", "orders:1:5"], ["--topic", "orders:1:5"]),
        (["--properties", "/does/not/exist"], ["--properties", "/does/not/exist"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--admin-host", "0.0.0.0"], ["--admin-host", "0.0.0.0", "--admin-token-file"]),
        (
            ["--admin-host", "0.0.0.0", "--admin-token", "t"],
            ["--admin-protocol", "ssl.keystore.location", "--tls"],
        ),
    ],
    ids=lambda value: " ".join(value) if value and value[0].startswith("-") else "",
)
def test_invalid_options(refused: Refused, arguments: list[str], named: list[str]) -> None:
    """The line names the option or key, and its value."""
    line = refused(*arguments)
    assert all(word in line for word in named), line


def test_an_invalid_line_of_a_properties_file(refused: Refused, tmp_path: Path) -> None:
    """The line names the key."""
    file = tmp_path / "server.properties"
    file.write_text("# fine\nnum.partitions=2\nlog.retention.hourz=3\n")
    assert "log.retention.hourz" in refused("--properties", str(file))


def test_a_port_in_use(refused: Refused) -> None:
    """The line names the port; its user is not affected."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert port in refused("--port", port)


def test_an_admin_port_in_use(refused: Refused) -> None:
    """The line names the admin port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert port in refused("--admin-port", port)


def test_a_data_directory_that_is_a_file(refused: Refused, tmp_path: Path) -> None:
    """The line names the path."""
    file = tmp_path / "file"
    file.write_text("mine")
    assert str(file) in refused("--data-dir", str(file))
    assert file.read_text() == "mine"


def test_a_data_directory_below_a_file(refused: Refused, tmp_path: Path) -> None:
    """The line names the path."""
    (tmp_path / "file").touch()
    below = str(tmp_path / "file" / "data")
    assert below in refused("--data-dir", below)


def test_a_data_directory_that_cannot_be_created(refused: Refused) -> None:
    """Not even root can create it; the line names the path."""
    sealed = "/proc/antechamber"
    assert sealed in refused("--data-dir", sealed)


def test_a_data_directory_in_use(refused: Refused, tmp_path: Path) -> None:
    """The second broker is refused, and the first continues."""
    data = str(tmp_path / "data")
    with Antechamber("--data-dir", data) as first:
        assert data in refused("--data-dir", data)
        assert first.process.exit_code is None


def test_data_directories_in_another_order(refused: Refused, tmp_path: Path) -> None:
    """The line names the directory that was first, and the other one is not changed."""
    first, second = tmp_path / "first", tmp_path / "second"
    with Antechamber("--data-dir", str(first), "--data-dir", str(second)):
        pass
    line = refused("--data-dir", str(second), "--data-dir", str(first))
    assert line.endswith(f"--data-dir: {first} was the first of them; give it first again")
    assert not (second / "controller.db").exists()


@pytest.mark.parametrize(
    ("redirection", "why"),
    [(">/dev/full", "No space left on device"), (">&-", "it is closed")],
)
def test_a_stdout_that_cannot_be_written(against: str, redirection: str, why: str) -> None:
    """The broker ends, because it cannot print that it is ready."""
    if against != "antechamber":
        pytest.skip("tests our own process")
    words = f'exec "{sys.executable}" -m antechamber serve --port 0 --admin-port 0 {redirection}'
    ended = subprocess.run(
        ["sh", "-c", words], stderr=subprocess.PIPE, text=True, timeout=ENDS_WITHIN_S, check=False
    )

    assert ended.returncode == 2
    assert ended.stderr == (
        f"antechamber serve: cannot write to stdout: {why}; with --quiet nothing is written\n"
    )
