"""Each command of the documentation runs as it is written, or is listed with the reason.

Only addresses are replaced, by those of free ports, so that tests can run at the same time.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer

import pytest

from antechamber.container import free_ports
from integration.documents.commands import ROOT, documented
from integration.documents.not_run import NOT_RUN, reason
from integration.documents.stage import Stage, stage
from integration.security.certificates import certificates

COMMANDS = [command for command in documented() if reason(command) is None]
SERVES = [each for each in COMMANDS if re.match(r"([A-Z_]+=\S+ )*antechamber serve", each)]
# They change the cluster for later commands, so they are last; a reset removes all topics.
CHANGES = re.compile(r"fault|clock|/nodes/")
RESET = re.compile(r"\breset\b")
OTHERS = sorted(
    (each for each in COMMANDS if each not in SERVES),
    key=lambda each: (bool(RESET.search(each)), bool(CHANGES.search(each))),
)
ENDLESS = re.compile(r"--follow|/v1/events|^antechamber record")
# Commands that end with 1 on this cluster, and the end of their line on stderr.
REFUSED = {
    "antechamber transactions abort --topic orders --partition 0 --producer-id 17": (
        "producer id 17 has no open transaction in orders-0"
    ),
}
ADMIN = "http://127.0.0.1:9644"
WITHIN_S = 120


def shell(command: str, admin: str, bootstrap: str) -> list[str]:
    """The command with free ports in place of the documented addresses."""
    program = f"{sys.executable} -m antechamber"
    command = command.replace(ADMIN, admin).replace("kafka:9092", bootstrap.split(",")[0])
    command = re.sub(r"--port \d+", f"--port {free_ports(1)[0]}", command)
    command = re.sub(r"(^|= ?|\(| )antechamber (?=[a-z-])", rf"\1{program} ", command)
    command = re.sub(r"^curl ", "curl --fail --silent --show-error ", command)
    return ["bash", "-c", f"exec {command}" if command.startswith(("curl", "/")) else command]


def environment(admin: str) -> Mapping[str, str]:
    """The variables of a shell whose broker is at *admin*."""
    paths = {"PYTHONPATH": str(ROOT), "ANTECHAMBER_ADMIN": admin, "COLUMNS": "80"}
    return {**os.environ, **paths}


@pytest.fixture(scope="module")
def running(against: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The cluster of all commands."""
    if against != "antechamber":
        pytest.skip("tests the commands of this project")
    with stage(tmp_path_factory.mktemp("commands")) as made:
        yield made


def test_each_reason_belongs_to_a_command() -> None:
    """A pattern without a command is to be removed."""
    commands = documented()
    unused = [each for each in NOT_RUN if not any(re.fullmatch(each, one) for one in commands)]

    assert unused == []
    assert set(REFUSED) <= set(commands)


def test_only_known_programs_run() -> None:
    """A command of another program is run here only if every machine has it."""
    programs = {command.split()[0] for command in OTHERS}

    assert programs <= {"antechamber", "curl"}


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_works(command: str, running: Stage) -> None:
    """It ends with exit code 0, or it prints something until Ctrl-C."""
    if command.startswith("curl") and shutil.which("curl") is None:
        pytest.skip("needs curl")
    with running.prepared(command) as prepared:
        words = shell(prepared, running.kafka.admin, running.kafka.bootstrap)
        if ENDLESS.search(command):
            assert first_output(words, running)
            return
        done = subprocess.run(
            words,
            cwd=running.folder,
            env=environment(running.kafka.admin),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
    refusal = REFUSED.get(command)
    assert (done.returncode == 0) == (refusal is None), done.stdout + done.stderr
    assert done.stderr.strip().endswith(refusal or ""), done.stderr


def first_output(words: list[str], running: Stage) -> bytes:
    """Run a command in a terminal until it prints, end it by Ctrl-C, and return the output."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        words,
        cwd=running.folder,
        env=environment(running.kafka.admin),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        watchdog = Timer(WITHIN_S, process.kill)
        watchdog.start()
        try:
            output = os.read(ours, 1 << 16)
            assert process.poll() is None, output
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(OSError):  # the terminal ends with its last process
                while os.read(ours, 1 << 16):
                    """Its last output does not wait for room in the terminal."""
            watchdog.cancel()
            os.close(ours)
    return output


# On free ports, and only until it is ready: stdin ends at once.
BRIEFLY = "--port 0 --admin-port 0 --stop-with-stdin"


@pytest.mark.parametrize("command", SERVES)
def test_a_broker_starts(command: str, against: str, tmp_path: Path) -> None:
    """With the options shown it reports that it is ready, and stops in order."""
    if against != "antechamber":
        pytest.skip("tests the commands of this project")
    options = BRIEFLY
    for name in re.findall(r"--properties (\S+)", command):  # the ports are those of the file
        (tmp_path / name).write_text(properties_of(command))
        options = BRIEFLY.removeprefix("--port 0 ")
    for name in re.findall(r"\S+\.yaml", command):
        (tmp_path / name).write_text(yaml_before(command))
    command = command.removesuffix(" &").replace("antechamber", f"{sys.executable} -m antechamber")
    done = subprocess.run(
        ["bash", "-c", f"{command} {options}"],
        cwd=tmp_path,
        env=environment(ADMIN),
        input="",
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if not re.search(r"--help|--list-keys", command):
        assert "antechamber is ready: " in done.stdout


def properties_of(command: str) -> str:
    """The block before the command, with free ports and the path of a certificate."""
    text = (ROOT / documented()[command]).read_text()
    [body] = re.findall(
        rf"^```properties\n([^`]*)```\n\n```console\n\$ {re.escape(command)}$", text, re.MULTILINE
    )
    body = re.sub(r"/etc/\S+\.pem", str(certificates().server.path), body)
    return re.sub(r":\d+\b", ":0", body)


def yaml_before(command: str) -> str:
    """The last block of YAML before the command on its page."""
    before = (ROOT / documented()[command]).read_text().partition(f"$ {command}")[0]
    blocks: list[str] = re.findall(r"^```yaml\n(.*?)^```", before, re.MULTILINE | re.DOTALL)
    return blocks[-1]
