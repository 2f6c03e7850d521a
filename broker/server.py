"""The whole broker from start to stop: sockets, controller, nodes, and the tasks that drive them.

Order of a start: everything that can fail because of the user is tried first (ports, data
directory), then the logs are opened and the topics made, then the tasks start, and only when every
listener accepts is the broker called ready. A stop by signal ends the tasks, closes every
connection, flushes the logs and leaves the mark of a clean shutdown.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import trio

from broker.admin.server import serve_admin
from broker.clock import TrioClock
from broker.cluster import Cluster
from broker.cluster_facts import ClusterFacts
from broker.controller.controller import Controller
from broker.controller.image import Broker
from broker.controller.store import ControllerStore
from broker.errors import ApiError, StartupError
from broker.lifeline import check_lifeline, lifeline_cut
from broker.listener import TcpNetwork, listen
from broker.options import PORT_MAX, ServeOptions, TopicSpec
from broker.topic_config import check_topic_configs
from broker.waits.recorder import Recorder

_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to


async def serve(options: ServeOptions) -> None:
    """Run the broker until SIGTERM, SIGINT or, if asked for, the end of stdin.

    Raises `StartupError` if it cannot start as asked.
    """
    _refuse_what_is_not_here(options)
    if options.stop_with_stdin:
        check_lifeline()
    with (
        trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals,
        _data_directory(options.data_dir) as data_dir,
        closing(_network(options)) as network,
        listen("--admin-port", options.admin_host, options.admin_port) as admin,
        closing(_controller(options, data_dir)) as controller,
        closing(_cluster(options, controller, data_dir, network)) as cluster,
    ):
        _make_topics(controller, options.topics)
        await _run(options, cluster, data_dir, admin, signals)


def _refuse_what_is_not_here(options: ServeOptions) -> None:
    """An option without effect would be a lie, so what is still to come is refused by name."""
    if options.records is not None or options.records_topic is not None:
        name = "--records" if options.records is not None else "--records-topic"
        raise StartupError(f"{name}: this version writes no wait records; leave it out")


async def _run(
    options: ServeOptions,
    cluster: Cluster,
    data_dir: Path,
    admin: socket.socket,
    signals: AsyncIterator[int],
) -> None:
    _quiet_the_garbage_collector()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.run)
            facts = ClusterFacts(cluster)
            nursery.start_soon(
                partial(serve_admin, admin, facts, cluster.timer, token=options.admin_token)
            )
            _announce(options, cluster, data_dir, admin)
            if options.stop_with_stdin:
                nursery.start_soon(_stop_with_stdin, nursery.cancel_scope)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
    except* StartupError as group:
        raise group.exceptions[0] from None


async def _stop_with_stdin(serving: trio.CancelScope) -> None:
    await lifeline_cut()
    serving.cancel()


def _network(options: ServeOptions) -> TcpNetwork:
    """One port for each node, bound before all else."""
    ports = [options.port + index if options.port else 0 for index in range(options.brokers)]
    if ports[-1] > PORT_MAX:
        raise StartupError(
            f"--port: {options.brokers} brokers from {options.port} on need ports up to "
            f"{ports[-1]}, and {PORT_MAX} is the last; give a lower one, or 0 for any"
        )
    with ExitStack() as undo:
        listeners = [undo.enter_context(listen("--port", options.host, port)) for port in ports]
        undo.pop_all()
    return TcpNetwork({each.getsockname()[1]: each for each in listeners}, options.host)


def _controller(options: ServeOptions, data_dir: Path) -> Controller:
    path = data_dir / "controller.db" if options.data_dir else None
    return Controller(ControllerStore(path), options.config, check_topic_configs)


def _cluster(
    options: ServeOptions, controller: Controller, data_dir: Path, network: TcpNetwork
) -> Cluster:
    host = "127.0.0.1" if options.host in _WILDCARDS else options.host
    brokers = [Broker(node_id, host, port) for node_id, port in enumerate(network.ports, start=1)]
    durable = options.data_dir is not None
    clock = TrioClock()
    return Cluster(
        brokers,
        options.config,
        clock,
        controller,
        data_dir,
        network,
        durable=durable,
        recorder=Recorder(clock) if os.environ.get("REC") else None,
    )


def _make_topics(controller: Controller, topics: tuple[TopicSpec, ...]) -> None:
    """The topics of the command line; one that a kept data directory has already is left as is."""
    for spec in topics:
        if controller.topic(spec.name) is not None:
            continue
        try:
            controller.create_topic(
                spec.name, partitions=spec.partitions, replication_factor=spec.replication_factor
            )
        except ApiError as error:
            raise StartupError(f"--topic: {spec.name}: {error.message}") from None


def _announce(
    options: ServeOptions, cluster: Cluster, data_dir: Path, admin: socket.socket
) -> None:
    """Say that the broker is ready: to the ready file, and on one line to whoever reads stdout."""
    nodes = cluster.nodes
    bootstrap = ",".join(f"{node.host}:{node.port}" for node in nodes)
    admin_host, admin_port = admin.getsockname()[:2]
    admin_url = f"http://{admin_host}:{admin_port}"
    if options.ready_file is not None:
        facts = {
            "bootstrap": bootstrap,
            "admin": admin_url,
            "pid": os.getpid(),
            "data_dir": str(data_dir),
            "nodes": [{"id": node.id, "host": node.host, "port": node.port} for node in nodes],
        }
        _write_atomically(options.ready_file, json.dumps(facts))
    if not options.quiet:
        sys.stdout.write(f"antechamber is ready: bootstrap={bootstrap} admin={admin_url}\n")
        sys.stdout.flush()


def _write_atomically(path: Path, text: str) -> None:
    """Write a file that a reader sees whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text)
        part.replace(path)
    except OSError as error:
        raise StartupError(f"--ready-file: cannot write {path}: {error.strerror}") from None


@contextmanager
def _data_directory(asked: Path | None) -> Iterator[Path]:
    """The folder for logs: the one asked for, or a temporary one that is gone afterwards."""
    if asked is None:
        temporary = Path(tempfile.mkdtemp(prefix="antechamber-"))
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return
    try:
        asked.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=asked):
            pass
    except OSError as error:
        raise StartupError(
            f"--data-dir: cannot write in {asked}: {error.strerror}; give a folder of your own"
        ) from None
    yield asked


def _quiet_the_garbage_collector() -> None:
    """Leave what lives for good out of every collection, and collect less often.

    A full collection over a hundred thousand parked requests would stop the broker for as long as
    a request takes a hundred times over; the objects of a request are free of cycles anyway.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
