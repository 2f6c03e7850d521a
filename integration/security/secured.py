"""The properties of one secured node, with free ports, and as a file."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from integration.kafka.quick_start import write_properties
from integration.machine.once import once
from integration.processes.server_process import free_ports
from integration.security import listeners
from integration.security.signed_tokens import key_set


class Secured:
    """``listeners`` has the address of each listener, ``file`` the properties."""

    def __init__(self, others: Mapping[str, str]) -> None:
        names = [each.name for each in listeners.listeners()]
        ports = dict(zip(names, free_ports(len(names)), strict=True))
        self.listeners = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
        self.properties = {**others, **listeners.properties(ports)}
        self.file = _folder() / f"{ports['PLAINTEXT']}.properties"
        write_properties(self.file, self.properties)

    @property
    def jvm_options(self) -> list[str]:
        """What a JVM needs besides the properties: the URL of the keys of signed tokens."""
        return [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file:{key_set()}"]


@once
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="antechamber-secured-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
