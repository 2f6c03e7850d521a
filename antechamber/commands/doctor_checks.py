"""The checks of ``antechamber doctor``; each returns what it has found."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Literal, NamedTuple

from antechamber.broker_process import StartError
from antechamber.cluster import Cluster
from antechamber.process import command, environment
from antechamber.versions import own_build, own_version

PORT, ADMIN_PORT = 9092, 9644
CLIENTS = ("kafka-python", "confluent-kafka", "aiokafka")
EXTRAS = {"security": ("cryptography", "pyjwt", "trustme"), "testcontainers": ("testcontainers",)}
ENGINE_WITHIN_S = 10
ANALYSIS_WITHIN_S = 60


class Finding(NamedTuple):
    """The result of a check, and a text of one line, with the remedy if something is missing."""

    state: Literal["ok", "missing", "failed"]
    text: str


def python() -> Finding:
    """The versions of this package, Python and the system."""
    system = f"{platform.system()} {platform.machine()}"
    ours = f"antechamber {own_version()} ({own_build()})"
    return Finding("ok", f"{ours}, Python {platform.python_version()}, {system}")


def port(user: str, number: int) -> Finding:
    """Whether the default port of *user* is free."""
    with socket.socket() as probe:
        if os.name == "posix":  # elsewhere the option would let both bind the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError as error:
            reason = error.strerror
            return Finding("missing", f"port {number} of {user}: {reason}; 0 chooses a free one")
    return Finding("ok", f"port {number} of {user} is free")


def broker() -> Finding:
    """Whether a broker starts, on free ports."""
    begin = monotonic()
    try:
        Cluster().close()
    except (StartError, OSError) as error:
        return Finding("failed", f"a broker does not start: {error}")
    return Finding("ok", f"a broker has started and stopped in {monotonic() - begin:.1f} s")


def clients() -> Iterator[Finding]:
    """The installed client libraries for Python."""
    found = {name: installed for name in CLIENTS if (installed := _version(name))}
    for name, installed in found.items():
        yield Finding("ok", f"client {name} {installed}")
    if not found:
        yield Finding("missing", f"no client library for Python: pip install {CLIENTS[0]}")


def extras() -> Iterator[Finding]:
    """The optional parts of the package."""
    for extra, packages in EXTRAS.items():
        absent = [name for name in packages if _version(name) is None]
        if absent:
            remedy = f"pip install 'antechamber[{extra}]'"
            yield Finding("missing", f"extra {extra}: {', '.join(absent)} not installed; {remedy}")
        else:
            yield Finding("ok", f"extra {extra}")


def analysis() -> Iterator[Finding]:
    """What ``antechamber analyze`` needs, as ``--check`` reports it."""
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, no shell
            command(["--check"], "pipeline"),
            env=environment(os.environ),
            capture_output=True,
            text=True,
            timeout=ANALYSIS_WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield Finding("missing", f"analyze: Java: no response within {ANALYSIS_WITHIN_S} s")
        return
    for line in done.stdout.splitlines():
        state, _, text = line.partition(" ")
        yield Finding("ok" if state == "ok" else "missing", text.strip())


def engine() -> Finding:
    """Whether a container engine is reachable."""
    docker = shutil.which("docker")
    if docker is None:
        return Finding("missing", "container engine: docker is not installed; only images need it")
    words = [docker, "version", "--format", "{{.Server.Version}}"]
    try:
        done = subprocess.run(  # noqa: S603 - docker of the user's PATH, no shell
            words, capture_output=True, text=True, timeout=ENGINE_WITHIN_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding("missing", f"container engine: no response within {ENGINE_WITHIN_S} s")
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no engine"])[-1]
        return Finding("missing", f"container engine: {reason}")
    return Finding("ok", f"container engine {done.stdout.strip()}")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
