"""`ClusterServer`: starts clusters for the other processes of a test session, and stops them.

    worker 1 --options--> thread of the controller --> the cluster with these options
    worker 2 --options-->                          --> the same cluster

pytest-xdist's controller runs it, so that the end of a worker stops no cluster, and the end of the
controller, for any reason, stops all of them. A connection carries one request and its response, as
JSON. It is on loopback, and both sides prove that they know a random key.
"""

from __future__ import annotations

import json
import os
import secrets
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from threading import Thread
from typing import TYPE_CHECKING, Any, Self

from antechamber.broker_process import StartError

if TYPE_CHECKING:
    from antechamber.cluster import Cluster

Options = dict[str, Any]
# Host, port and key in hexadecimal digits: values that pytest-xdist can send to a worker.
Address = tuple[str, int, str]

_KEY_BYTES = 32
_END = b""


class ClusterServer:
    """Serves one request after the other, in a thread, until it is closed."""

    def __init__(self) -> None:
        key = secrets.token_bytes(_KEY_BYTES)
        self._listener = Listener(("127.0.0.1", 0), authkey=key)
        host, port = self._listener.address
        self.address: Address = (str(host), int(port), key.hex())
        self._clusters: dict[str, Cluster] = {}
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, and stop the clusters."""
        if self._thread.is_alive():
            _exchange(self.address, _END)
            self._thread.join()
        self._listener.close()
        for cluster in self._clusters.values():
            cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        while True:
            try:
                with self._listener.accept() as connection:
                    request = connection.recv_bytes()
                    if request == _END:
                        connection.send_bytes(_END)
                        return
                    connection.send_bytes(json.dumps(self._response(json.loads(request))).encode())
            except (AuthenticationError, EOFError, OSError):
                continue  # the worker has ended, or it is another program

    def _response(self, options: Options) -> dict[str, Any]:
        try:
            return {"ready": self._cluster(options).ready}
        except (StartError, TypeError) as error:
            return {"error": str(error)}

    def _cluster(self, options: Options) -> Cluster:
        from antechamber.cluster import Cluster

        key = json.dumps(options, sort_keys=True)
        found = self._clusters.get(key)
        if found is None or not found.is_running:
            if found is not None:
                found.close()
            found = self._clusters[key] = Cluster(**options)
        return found


def shared_ready(address: Address, options: Options) -> dict[str, Any]:
    """Return the ready file of the server's cluster with these options; raises `StartError`."""
    __tracebackhide__ = True
    request = json.dumps(options, default=os.fspath).encode()
    response = json.loads(_exchange(address, request))
    if "error" in response:
        raise StartError(response["error"])
    ready: dict[str, Any] = response["ready"]
    return ready


def _exchange(address: Address, request: bytes) -> bytes:
    """Send a request, and return the response."""
    host, port, key = address
    with Client((host, port), authkey=bytes.fromhex(key)) as connection:
        connection.send_bytes(request)
        return connection.recv_bytes()
