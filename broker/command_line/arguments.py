"""The command line of ``antechamber serve``: text in, checked `ServeOptions` out.

Whatever is wrong becomes one line that names the option or key, what was given and what is
allowed; nothing is started, bound or written here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from broker.command_line.options import PORT_MAX, ServeOptions, TopicSpec
from broker.command_line.properties import read_properties
from broker.common.errors import ApiError, StartupError
from broker.config import Config, ConfigError, Setting
from broker.controller.topic_names import check_topic_name

BROKERS_MAX = 100
PARTITIONS_MAX = 10_000
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

_DESCRIPTION = "Start a Kafka-protocol broker and serve until SIGTERM or Ctrl-C."
_EPILOG = """\
examples:
  antechamber serve
  antechamber serve --port 0 --ready-file ready.json
  antechamber serve --topic orders:3 --topic audit -c message.max.bytes=2097152

Ready means that every listener serves and every --topic has its leader. Then
one line on stdout says bootstrap=HOST:PORT and admin=URL, and --ready-file is
written. SIGTERM stops in good order. Configuration keys are Kafka's own;
docs/reference/configuration.md lists them."""


class _OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        message = message.removeprefix("argument ")
        raise StartupError(f"{message}; antechamber serve --help lists the options")


def parse_arguments(arguments: Sequence[str]) -> ServeOptions:
    """The options that *arguments* ask for; raises `StartupError`."""
    given = parser().parse_args(arguments)
    _check_ports(given)
    return ServeOptions(
        host=given.host,
        port=given.port,
        advertised_host=given.advertise and given.advertise[0],
        advertised_port=given.advertise and given.advertise[1],
        brokers=given.brokers,
        admin_host=given.admin_host,
        admin_port=given.admin_port,
        admin_token=_admin_token(given.admin_host, given.admin_token_file),
        data_dirs=_different(given.data_dir),
        config=Config.from_settings(_settings(given.properties, given.config)),
        topics=_checked(given.topic, given.brokers),
        record=given.record or given.records is not None or given.records_topic is not None,
        records=given.records,
        records_topic=given.records_topic,
        ready_file=given.ready_file,
        stop_with_stdin=given.stop_with_stdin,
        quiet=given.quiet,
        verbose=given.verbose,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = _OneLineParser(
        prog="antechamber serve",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    default = ServeOptions()
    add = command.add_argument
    add("--host", default=default.host, help="address to serve on (%(default)s)")
    add(
        "--port",
        type=_whole("--port", 0, PORT_MAX),
        default=default.port,
        help="port to serve on, 0: any free; with N brokers the first of N (%(default)s)",
    )
    add(
        "--advertise",
        type=_address,
        metavar="HOST[:PORT]",
        help="what clients are told to connect to, where they come by another address; "
        "with N brokers the first port of N",
    )
    add(
        "--brokers",
        type=_whole("--brokers", 1, BROKERS_MAX),
        default=default.brokers,
        metavar="N",
        help="how many nodes the cluster has (%(default)s)",
    )
    add(
        "--admin-host",
        default=default.admin_host,
        metavar="HOST",
        help="address of the admin interface (%(default)s)",
    )
    add(
        "--admin-port",
        type=_whole("--admin-port", 0, PORT_MAX),
        default=default.admin_port,
        metavar="PORT",
        help="port of the admin interface, 0: any free (%(default)s)",
    )
    add(
        "--admin-token-file",
        type=Path,
        metavar="FILE",
        help="holds the bearer token of admin requests; needed off loopback",
    )
    _add_cluster_options(command)
    _add_output_options(command)
    return command


def _add_cluster_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--data-dir",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="keep the logs here; may be repeated; without it they are gone when the broker stops",
    )
    add(
        "-c",
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a broker setting under Kafka's name for it; may be repeated",
    )
    add(
        "--properties",
        type=Path,
        metavar="FILE",
        help="broker settings in Java's properties syntax; -c goes over them",
    )
    add(
        "--topic",
        action="append",
        type=_topic,
        default=[],
        metavar="NAME[:PARTITIONS[:REPLICATION]]",
        help="make this topic before being ready; may be repeated",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--record",
        action="store_true",
        help="note of each request what it waited for; antechamber requests and explain tell it",
    )
    add(
        "--records",
        type=Path,
        metavar="FILE",
        help="also append these records to a file, as JSON lines",
    )
    add(
        "--records-topic",
        type=_topic_name,
        metavar="NAME",
        help="also produce them to this topic of the broker itself",
    )
    add(
        "--ready-file",
        type=Path,
        metavar="FILE",
        help="written as JSON once everything serves",
    )
    add(
        "--stop-with-stdin",
        action="store_true",
        help="stop when stdin ends, as when the program that started the broker dies",
    )
    add("--quiet", action="store_true", help="nothing on stdout, not even the ready line")
    add("-v", "--verbose", action="store_true", help="log each request in one line on stderr")


def _whole(what: str, low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
            raise StartupError(f"{what}: {text!r} is not a whole number from {low} to {high}")
        return int(text)

    return parse


def _address(text: str) -> tuple[str, int | None]:
    """A host, and a port if there is one; an IPv6 address stands in brackets."""
    host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    if not colon:
        host, port = text, ""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or (":" in bare and bare == host) or (colon and not port):
        raise StartupError(f"--advertise: {text!r} is not HOST or HOST:PORT")
    return bare, _whole(f"--advertise: {text}: port", 1, PORT_MAX)(port) if port else None


def _topic_name(text: str) -> str:
    try:
        check_topic_name(text)
    except ApiError as error:
        raise argparse.ArgumentTypeError(str(error.message)) from None
    return text


def _topic(text: str) -> TopicSpec:
    name, *numbers = text.split(":")
    if len(numbers) > 2:
        raise StartupError(f"--topic: {text!r} is not NAME[:PARTITIONS[:REPLICATION]]")
    _topic_name(name)
    limits = (("partitions", PARTITIONS_MAX), ("replication", BROKERS_MAX))
    counts = [
        _whole(f"--topic: {text}: {what}", 1, limit)(number)
        for number, (what, limit) in zip(numbers, limits, strict=False)
    ]
    return TopicSpec(name, *counts)


def _different(data_dirs: list[Path]) -> tuple[Path, ...]:
    """Each partition is in one of them, so none may be there twice."""
    resolved = [path.resolve() for path in data_dirs]
    for index, path in enumerate(resolved):
        if path in resolved[:index]:
            raise StartupError(f"--data-dir: {data_dirs[index]} is given twice")
    return tuple(data_dirs)


def _checked(topics: list[TopicSpec], brokers: int) -> tuple[TopicSpec, ...]:
    seen: set[str] = set()
    for name, partitions, factor in ((t.name, t.partitions, t.replication_factor) for t in topics):
        if name in seen:
            raise StartupError(f"--topic: {name} is given twice")
        if factor > brokers:
            raise StartupError(
                f"--topic: {name}:{partitions}:{factor}: there cannot be more replicas than "
                f"brokers, and --brokers is {brokers}"
            )
        seen.add(name)
    return tuple(topics)


def _settings(properties: Path | None, assignments: list[str]) -> list[Setting]:
    """All settings, the stronger ones last."""
    settings = [] if properties is None else read_properties(properties)
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not (key.strip() and equals):
            raise ConfigError(f"-c: {assignment!r} is not KEY=VALUE")
        settings.append(Setting(key.strip(), value, "-c"))
    return settings


def _check_ports(given: argparse.Namespace) -> None:
    told = given.advertise and given.advertise[1]
    if told and told + given.brokers - 1 > PORT_MAX:
        raise StartupError(
            f"--advertise: {told} and {given.brokers} brokers go beyond {PORT_MAX}; "
            f"give {PORT_MAX - given.brokers + 1} at most"
        )
    last = given.port + given.brokers - 1
    if given.port == 0:
        return
    if last > PORT_MAX:
        raise StartupError(
            f"--port: {given.port} and {given.brokers} brokers go beyond {PORT_MAX}; "
            f"give {PORT_MAX - given.brokers + 1} at most, or 0 for any free ports"
        )
    if given.port <= given.admin_port <= last and given.admin_host == given.host:
        raise StartupError(
            f"--admin-port: {given.admin_port} is also the port of a broker; "
            f"give one outside of {given.port} to {last}, or 0 for any"
        )


def _admin_token(host: str, path: Path | None) -> str | None:
    """The bearer token; an interface that others than this machine can reach must have one."""
    if path is None:
        if not _is_loopback(host):
            raise StartupError(
                f"--admin-host: {host} can be reached from elsewhere; "
                "give --admin-token-file with it, or an address of loopback"
            )
        return None
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
        raise StartupError(f"--admin-token-file: cannot read {path}: {reason}") from None
    if not token or not token.isprintable() or " " in token:
        raise StartupError(f"--admin-token-file: {path} must hold one word, the token")
    return token


def _is_loopback(host: str) -> bool:
    if host in _LOOPBACK:
        return True
    import ipaddress  # here, because it is slow to import and hardly ever needed

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
