"""A client in another container of a network."""

from __future__ import annotations

import json

from integration.containers.image import ROOT, broker_image, docker

_PROGRAM = """\
import json, sys
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata

with Connection(sys.argv[1]) as connection:
    print(json.dumps(read_metadata(connection.request(metadata([]))).brokers))
"""


def brokers_in_network(network: str, bootstrap: str) -> str:
    """The bootstrap servers that the metadata has for a client in *network*."""
    source = ["--volume", f"{ROOT}:/src:ro", "--env", "PYTHONPATH=/src", "--workdir", "/src"]
    options = ["--rm", "--network", network, *source, "--entrypoint", "python"]
    printed = docker("run", *options, broker_image(), "-Bc", _PROGRAM, bootstrap)
    return ",".join(f"{host}:{port}" for _, host, port in json.loads(printed))
