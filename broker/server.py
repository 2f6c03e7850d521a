"""The whole broker from start to stop: sockets, controller, nodes, and their tasks.

A start first does what may fail because of the user (ports, data directories). Then it opens the
logs, creates the topics, and starts the tasks. The broker is ready when every listener accepts
connections. A signal ends the tasks, closes all connections, flushes the logs and writes the clean
shutdown files.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import trio

from broker.admin.accept import Serve, accept_connections
from broker.admin.errors import AdminErrors
from broker.admin.listener import AdminListener
from broker.admin.tls import admin_context
from broker.cluster import Cluster
from broker.command_line.given import (
    create_topics,
    given,
    store_credentials,
    warn_of_missing_nodes,
)
from broker.command_line.options import ServeOptions
from broker.command_line.schedule_file import read_faults
from broker.command_line.short_form import config_of
from broker.command_line.throw_away_tls import throw_away_tls
from broker.common.adjustable_clock import AdjustableClock
from broker.common.clock import TrioClock
from broker.common.errors import (
    DiskFailed,
    InvalidValue,
    NodeFailed,
    StartupError,
    WrongState,
)
from broker.common.timer import new_timer
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker
from broker.network.listeners.tcp_network import TcpNetwork
from broker.process.free_memory import RELEASE_INTERVAL_MS, release_free_memory
from broker.process.garbage_collection import configure_garbage_collection
from broker.process.ready_file import ReadyFile
from broker.process.stdin_watch import check_stdin, wait_for_end_of_stdin
from broker.process.stop_signals import stop_signals
from broker.security.listeners.endpoints import configured_listeners
from broker.security.listeners.hosts import host_and_port
from broker.steps.offload import WorkerThreads
from broker.steps.schedule import schedule
from broker.wait_records.outbox import Outbox, Sink
from broker.wait_records.recorder import Recorder
from broker.wait_records.records_file import RecordsFile
from broker.wait_records.records_topic import RecordsTopic
from broker.wait_records.request_log import request_log_line
from broker.wait_records.span_sender import SpanSender, live_spans
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper

# The controller's store, in the first data directory.
_CONTROLLER = "controller.db"


async def serve(options: ServeOptions) -> None:
    """Run the broker until a signal of `stop_signals` or, with ``--stop-with-stdin``, end of stdin.

    Raises `StartupError` if it cannot start as requested, `DiskFailed` if its disk fails, and
    `NodeFailed` if its last node fails.
    """
    if options.stop_with_stdin:
        check_stdin()
    options = replace(options, config=config_of(options))
    # The signals are received before anything is made that has to be removed.
    with stop_signals() as signals, throw_away_tls(options) as with_tls:
        await _serve(with_tls, signals)


async def _serve(options: ServeOptions, signals: AsyncIterator[int]) -> None:
    listeners = configured_listeners(options.config, options.brokers)
    with (
        _ready_file(options),
        _data_directories(options.data_dirs) as data_dirs,
        closing(TcpNetwork(listeners, options.brokers, options.first_node_id)) as network,
        closing(_admin_listener(options)) as admin,
        closing(_controller(options, data_dirs)) as controller,
        _record_sinks(options) as record_sinks,
        closing(_cluster(options, controller, data_dirs, network)) as cluster,
    ):
        store_credentials(controller, options)
        create_topics(controller, options)
        warn_of_missing_nodes(controller, cluster.members)
        _set_faults(cluster, options)
        with _outbox(options, cluster, record_sinks) as outbox:
            await _run(options, cluster, outbox, data_dirs, admin, signals)


async def _run(
    options: ServeOptions,
    cluster: Cluster,
    outbox: Outbox | None,
    data_dirs: Sequence[Path],
    admin: AdminListener,
    signals: AsyncIterator[int],
) -> None:
    configure_garbage_collection()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.run)
            if outbox is not None:
                nursery.start_soon(outbox.run)
            interval_ms = RELEASE_INTERVAL_MS
            schedule(
                cluster.timer, release_free_memory, delay_ms=interval_ms, period_ms=interval_ms
            )
            # Its timeouts pass while the clock of the broker is frozen.
            timer = new_timer("admin", cluster.machine.now_ms)
            nursery.start_soon(run_reaper, timer)
            errors = AdminErrors()
            interface = partial(_admin_interface, options, cluster, admin, timer, errors)
            nursery.start_soon(accept_connections, admin, interface, errors.report)
            _announce(options, cluster, data_dirs, admin)
            if options.stop_with_stdin:
                nursery.start_soon(_stop_with_stdin, nursery.cancel_scope)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
    except BaseExceptionGroup as group:
        expected, bugs = group.split((StartupError, DiskFailed, NodeFailed))
        if expected is None or bugs is not None:
            raise
        raise _first_of(expected) from None


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _stop_with_stdin(serving: trio.CancelScope) -> None:
    await wait_for_end_of_stdin()
    serving.cancel()


def _admin_listener(options: ServeOptions) -> AdminListener:
    admin = options.admin
    context = admin_context(options.config) if admin.has_tls else None
    return AdminListener(admin.host, admin.port, admin.tokens, context)


async def _admin_interface(
    options: ServeOptions,
    cluster: Cluster,
    admin: AdminListener,
    timer: SystemTimer,
    errors: AdminErrors,
) -> Serve:
    # In a thread, because its import takes longer than a step of the loop may take.
    await trio.to_thread.run_sync(import_module, "broker.admin.interface")
    from broker.admin.interface import admin_interface

    return admin_interface(cluster, given(options), admin, timer, errors)


def _controller(options: ServeOptions, data_dirs: Sequence[Path]) -> Controller:
    path = data_dirs[0] / _CONTROLLER if options.data_dirs else None
    return Controller(ControllerStore(path), options.config, check_topic_configs)


def _cluster(
    options: ServeOptions, controller: Controller, data_dirs: Sequence[Path], network: TcpNetwork
) -> Cluster:
    name = configured_listeners(options.config).inter_broker
    brokers = [
        Broker(node_id, *endpoints[name], rack=options.rack(node_id), endpoints=endpoints)
        for node_id, endpoints in network.advertised.items()
    ]
    durable = bool(options.data_dirs)
    clock, machine = AdjustableClock(), TrioClock()
    recorder = None
    if options.record:
        traces = options.otlp is not None
        recorder = Recorder(clock, options.records_topic, machine, traces=traces)
    return Cluster(
        brokers,
        options.config,
        clock,
        controller,
        data_dirs,
        network,
        machine=machine,
        durable=durable,
        recorder=recorder,
        offload=WorkerThreads(),
    )


@contextmanager
def _record_sinks(options: ServeOptions) -> Iterator[Sequence[Sink]]:
    """Where wait records go outside of the cluster: a file, a request log, a collector of spans."""
    with ExitStack() as open_sinks:
        sinks = list[Sink]()
        if options.records is not None:
            sinks.append(RecordsFile(options.records))
            open_sinks.callback(sinks[-1].close)
        if options.request_log is not None:
            log = RecordsFile(options.request_log, option="--request-log", written=request_log_line)
            sinks.append(log)
            open_sinks.callback(log.close)
        if options.otlp is not None:
            sinks.append(SpanSender(live_spans(options.otlp)))
        yield sinks


@contextmanager
def _outbox(
    options: ServeOptions, cluster: Cluster, given: Sequence[Sink]
) -> Iterator[Outbox | None]:
    """The outbox of wait records, if there is any sink; it is emptied before the logs close."""
    sinks: list[Sink] = [*given]
    if options.records_topic is not None:
        sinks.append(RecordsTopic(options.records_topic, cluster, cluster.clock))
    recorder = cluster.recorder
    if not sinks or recorder is None:
        yield None
        return
    with closing(Outbox(cluster.timer, sinks)) as recorder.outbox:
        yield recorder.outbox


def _set_faults(cluster: Cluster, options: ServeOptions) -> None:
    """Set the fault rules of the command line, or none of them."""
    if options.faults is None:
        return
    rules = read_faults(options.faults)
    try:
        cluster.faults.add(*rules)
    except (InvalidValue, WrongState) as error:
        raise StartupError(f"--faults: {options.faults}: {error}") from None


def _announce(
    options: ServeOptions, cluster: Cluster, data_dirs: Sequence[Path], admin: AdminListener
) -> None:
    """Report that the broker is ready: in the ready file, and in one line on stdout."""
    nodes, listeners = cluster.nodes, _bootstrap_by_listener(cluster)
    bootstrap = listeners[configured_listeners(options.config).inter_broker]
    if options.ready_file is not None:
        facts = {
            "bootstrap": bootstrap,
            "admin": admin.url,
            "data_dir": str(data_dirs[0]),
            "data_dirs": [str(path) for path in data_dirs],
            "nodes": [{"id": node.id, "host": node.host, "port": node.port} for node in nodes],
            "listeners": listeners,
            "tls": dict(options.tls_files),
        }
        ReadyFile(options.ready_file).write(facts)
    if not options.quiet:
        named = listeners if len(listeners) > 1 else {"bootstrap": bootstrap}
        addresses = " ".join(f"{name}={address}" for name, address in named.items())
        _print_line(f"antechamber is ready: {addresses} admin={admin.url}\n")


def _bootstrap_by_listener(cluster: Cluster) -> dict[str, str]:
    """The addresses of all nodes, by listener."""
    brokers = [member.broker for member in cluster.members.values()]
    return {
        listener: ",".join(host_and_port(*broker.endpoints[listener]) for broker in brokers)
        for listener in brokers[0].endpoints
    }


_CANNOT_WRITE = "cannot write to stdout: {}; with --quiet nothing is written"


def _print_line(line: str) -> None:
    """Write a line to stdout; raises `StartupError`."""
    if sys.stdout is None:  # the process was started without stdout
        raise StartupError(_CANNOT_WRITE.format("it is closed"))
    try:
        sys.stdout.write(line)
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # otherwise Python writes the line again when it exits
        raise StartupError(_CANNOT_WRITE.format(error.strerror)) from None


@contextmanager
def _ready_file(options: ServeOptions) -> Iterator[None]:
    """Remove the file of an earlier broker now, and the file of this one at the end."""
    if options.ready_file is None:
        yield
        return
    ready = ReadyFile(options.ready_file)
    ready.clear()
    try:
        yield
    finally:
        ready.remove()


@contextmanager
def _data_directories(given: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """The configured data directories, or a temporary one that is removed at the end.

    The first contains the controller's store, so it must be writable; the others may be offline.
    """
    if not given:
        temporary = _temporary_directory()
        try:
            yield [temporary]
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return
    try:
        given[0].mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=given[0]):
            pass
    except OSError as error:
        raise StartupError(
            f"--data-dir: cannot write in {given[0]}: {error.strerror}; give a writable directory"
        ) from None
    for other in given[1:]:
        if (other / _CONTROLLER).exists() and not (given[0] / _CONTROLLER).exists():
            raise StartupError(f"--data-dir: {other} was the first of them; give it first again")
    yield given


def _temporary_directory() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="antechamber-"))
    except OSError as error:
        raise StartupError(
            f"cannot create a temporary directory for the logs: {error.strerror}; "
            "give --data-dir, or set TMPDIR"
        ) from None
