"""A container of the broker's image, started by `docker run`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

from integration.containers.image import broker_image, docker
from integration.machine.deadlines import eventually
from integration.processes.server_process import free_ports


class Started:
    """``docker run OPTIONS antechamber ARGUMENTS``, with its port published; removed at the end."""

    def __init__(self, options: Sequence[str] = (), arguments: Sequence[str] = ()) -> None:
        (port,) = free_ports(1)
        self.bootstrap = f"127.0.0.1:{port}"
        publish = ["--publish", f"127.0.0.1:{port}:9092"]
        advertise = ["--advertise", self.bootstrap]
        run = ["run", "--detach", *publish, *options, broker_image()]
        self._id = docker(*run, *advertise, *arguments)

    def state(self) -> dict[str, Any]:
        """Return the state that the engine reports."""
        state: dict[str, Any] = json.loads(docker("inspect", "--format={{json .State}}", self._id))
        return state

    def wait_until_healthy(self) -> Self:
        """Wait until the engine reports it as healthy."""

        def is_healthy() -> bool:
            state = self.state()
            assert state["Running"], docker("logs", self._id)
            return bool(state["Health"]["Status"] == "healthy")

        eventually(is_healthy, "a healthy container")
        return self

    def signal(self, name: str) -> None:
        """Send its first process a signal."""
        docker("kill", "--signal", name, self._id)

    def exit_code(self) -> int:
        """Wait for its end, and return the exit code."""
        return int(docker("wait", self._id))

    def close(self) -> None:
        """Remove it, and its anonymous volume."""
        docker("rm", "--force", "--volumes", self._id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
