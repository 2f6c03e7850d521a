"""Parses the command line of ``antechamber serve`` into checked `ServeOptions`.

An error is one line that names the option or key, the given value and the allowed values. Nothing
is started, bound or written here.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from broker.command_line.admin_options import add_admin_options, admin_options
from broker.command_line.key_list import ListKeys
from broker.command_line.one_line_parser import OneLineParser
from broker.command_line.options import PORT_MAX, ServeOptions
from broker.command_line.properties import read_properties
from broker.command_line.short_form import check_alone
from broker.command_line.whole_number import whole_number
from broker.common.errors import ApiError, StartupError
from broker.config import Config, ConfigError, Setting
from broker.controller.metadata.image import (
    GROUP_METADATA_TOPIC,
    INTERNAL_TOPICS,
    SHARE_GROUP_STATE_TOPIC,
    TRANSACTION_STATE_TOPIC,
)
from broker.controller.metadata.topic_names import check_topic_name
from broker.reset.given import GivenTopic
from broker.security.listeners.hosts import without_brackets
from broker.security.sasl.scram_options import (
    InvalidScram,
    UserCredential,
    parse_scram,
    parse_user,
)

BROKERS_MAX = 100
PARTITIONS_MAX = 10_000
HOST_VARIABLE = "ANTECHAMBER_HOST"

# The keys with the partitions of the internal topics.
_PARTITIONS_OF = {
    GROUP_METADATA_TOPIC: "offsets.topic.num.partitions",
    TRANSACTION_STATE_TOPIC: "transaction.state.log.num.partitions",
    SHARE_GROUP_STATE_TOPIC: "share.coordinator.state.topic.num.partitions",
}

_DESCRIPTION = "Start a Kafka-protocol broker and serve until SIGTERM, SIGHUP or Ctrl-C."
_EPILOG = """\
examples:
  antechamber serve
  antechamber serve --port 0 --ready-file ready.json
  antechamber serve --topic orders:3 --topic audit -c message.max.bytes=2097152

The broker is ready when all listeners accept connections and each --topic has
its leaders. Then it prints one line with bootstrap=HOST:PORT and admin=URL, and
writes --ready-file. Listeners with names are NAME=HOST:PORT in that line.
SIGTERM stops it in order, and so does SIGHUP, which it gets when its terminal
is closed. Configuration keys are Kafka's; --list-keys lists them."""


def parse_arguments(arguments: Sequence[str]) -> ServeOptions:
    """The options in *arguments*; raises `StartupError`."""
    command = parser()
    given = command.parse_args(arguments)
    config = Config.from_settings(_settings(given.properties, given.config))
    default = ServeOptions()
    addresses = {
        "--host": given.host != command.get_default("host"),
        "--port": given.port not in (0, default.port),
        "--advertise": given.advertise is not None,
    }
    check_alone(config, addresses)
    _check_ports(given)
    is_recorded = any((given.records, given.records_topic, given.request_log, given.otlp))
    return ServeOptions(
        host=without_brackets(given.host),
        port=given.port,
        advertised_host=given.advertise and given.advertise[0],
        advertised_port=given.advertise and given.advertise[1],
        brokers=given.brokers,
        racks=_checked_racks(given.racks, given.brokers, config),
        admin=admin_options(given, config),
        data_dirs=_without_duplicates(given.data_dir or _log_dirs(config)),
        config=config,
        tls=given.tls,
        topics=_checked_topics(given.topic, given.brokers, config),
        credentials=_credentials(given.user, given.add_scram),
        faults=given.faults,
        record=given.record or is_recorded,
        records=given.records,
        records_topic=given.records_topic,
        request_log=given.request_log,
        otlp=given.otlp,
        ready_file=given.ready_file,
        stop_with_stdin=given.stop_with_stdin,
        quiet=given.quiet,
        verbose=given.verbose,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = OneLineParser(
        prog="antechamber serve",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    default = ServeOptions()
    add = command.add_argument
    add(
        "--host",
        default=os.environ.get(HOST_VARIABLE) or default.host,
        help=f"address to listen at; also by {HOST_VARIABLE} (%(default)s)",
    )
    add(
        "--port",
        type=whole_number("--port", 0, PORT_MAX),
        default=default.port,
        help="port to listen at, 0: any free port; the first of N ports of N brokers (%(default)s)",
    )
    add(
        "--advertise",
        type=_address,
        metavar="HOST[:PORT]",
        help="address that clients are given to connect to, if it differs from the one to listen "
        "at; the port is the first of N ports of N brokers",
    )
    add(
        "--brokers",
        type=whole_number("--brokers", 1, BROKERS_MAX),
        default=default.brokers,
        metavar="N",
        help="number of nodes of the cluster (%(default)s)",
    )
    add(
        "--racks",
        metavar="RACK[,RACK...]",
        help="racks of the nodes in the order of their ids; if there are fewer, in turn",
    )
    add_admin_options(command)
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
        help="directory of the logs; may be repeated; by default a temporary one",
    )
    add(
        "-c",
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a broker setting with its name in Kafka; may be repeated",
    )
    add(
        "--properties",
        type=Path,
        metavar="FILE",
        help="file with broker settings in Java's properties syntax; -c overrides them",
    )
    add(
        "--tls",
        action="store_true",
        help="use TLS, with certificates that exist until the broker stops; the ready file has "
        "their paths",
    )
    add(
        "--topic",
        action="append",
        type=_topic,
        default=[],
        metavar="NAME[:PARTITIONS[:REPLICATION]]",
        help="create this topic before the broker is ready; may be repeated",
    )
    add(
        "--faults",
        type=Path,
        metavar="FILE",
        help="set the fault rules of this schedule (JSON if the name ends in .json, else YAML) "
        "before the broker is ready",
    )
    add(
        "--user",
        action="append",
        default=[],
        metavar="NAME:PASSWORD",
        help="store the password of a user for both SCRAM mechanisms, which clients can use on"
        " listeners with SASL; may be repeated",
    )
    add(
        "--add-scram",
        action="append",
        default=[],
        metavar="MECHANISM=[name=NAME,password=PASSWORD]",
        help="store a SCRAM credential, as kafka-storage.sh format does; may be repeated",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--record",
        action="store_true",
        help="record what each request waits for, for antechamber requests and explain",
    )
    add(
        "--records",
        type=Path,
        metavar="FILE",
        help="record, and append the records to this file as JSON lines",
    )
    add(
        "--records-topic",
        type=_records_topic,
        metavar="NAME",
        help="record, and produce the records to this topic of the broker",
    )
    add(
        "--request-log",
        type=Path,
        metavar="FILE",
        help="record, and append the records to this file as lines of Kafka's request log",
    )
    add(
        "--otlp",
        metavar="URL",
        help="record, and send the records as spans to this collector of OpenTelemetry by HTTP, "
        "such as http://127.0.0.1:4318",
    )
    add(
        "--ready-file",
        type=Path,
        metavar="FILE",
        help="JSON file to write when the broker is ready",
    )
    add(
        "--stop-with-stdin",
        action="store_true",
        help="stop when stdin ends, as when the program that started the broker ends",
    )
    add("--quiet", action="store_true", help="print nothing to stdout")
    add("-v", "--verbose", action="store_true", help="log each request on stderr")
    add("--list-keys", action=ListKeys, help="print the configuration keys with their defaults")


def _address(text: str) -> tuple[str, int | None]:
    """A host, and a port or None; an IPv6 address is in brackets."""
    host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    if not colon:
        host, port = text, ""
    bare = without_brackets(host)
    if not bare or (":" in bare and bare == host) or (colon and not port):
        raise StartupError(f"--advertise: {text!r} is not HOST or HOST:PORT")
    return bare, whole_number(f"--advertise: {text}: port", 1, PORT_MAX)(port) if port else None


def _topic_name(text: str) -> str:
    try:
        check_topic_name(text)
    except ApiError as error:
        raise argparse.ArgumentTypeError(str(error.message)) from None
    return text


def _records_topic(text: str) -> str:
    """A topic for records only: those of an internal topic are read at the start."""
    if text in INTERNAL_TOPICS:
        raise StartupError(f"--records-topic: {text} is an internal topic; give another name")
    return _topic_name(text)


def _topic(text: str) -> GivenTopic:
    name, *numbers = text.split(":")
    if len(numbers) > 2:
        raise StartupError(f"--topic: {text!r} is not NAME[:PARTITIONS[:REPLICATION]]")
    _topic_name(name)
    if name in _PARTITIONS_OF:
        raise StartupError(
            f"--topic: {name} is created by the broker when it is first used, with the partitions "
            f"of {_PARTITIONS_OF[name]}; set this key"
        )
    limits = (("partitions", PARTITIONS_MAX), ("replication", BROKERS_MAX))
    counts = [
        whole_number(f"--topic: {text}: {what}", 1, limit)(number)
        for number, (what, limit) in zip(numbers, limits, strict=False)
    ]
    return GivenTopic(name, *counts)


def _log_dirs(config: Config) -> list[Path]:
    """The directories that the configuration gives."""
    given = config.log_dir if "log.dir" in config.given else ()
    return [Path(each) for each in (given if config.log_dirs is None else config.log_dirs)]


def _without_duplicates(data_dirs: list[Path]) -> tuple[Path, ...]:
    """Check that no directory is given twice: each partition is in one directory."""
    resolved = [path.resolve() for path in data_dirs]
    for index, path in enumerate(resolved):
        if path in resolved[:index]:
            raise StartupError(f"--data-dir: {data_dirs[index]} is given twice")
    return tuple(data_dirs)


def _checked_topics(
    topics: list[GivenTopic], brokers: int, config: Config
) -> tuple[GivenTopic, ...]:
    seen: set[str] = set()
    default = config.default_replication_factor
    for name, partitions, factor in ((t.name, t.partitions, t.replication_factor) for t in topics):
        if name in seen:
            raise StartupError(f"--topic: {name} is given twice")
        if factor == -1 and default < 1:
            raise StartupError(
                f"--topic: {name}: default.replication.factor is {default}; give a positive one, "
                "or NAME:PARTITIONS:REPLICATION"
            )
        if factor > brokers:
            raise StartupError(
                f"--topic: {name}:{partitions}:{factor}: there cannot be more replicas than "
                f"brokers, and --brokers is {brokers}"
            )
        seen.add(name)
    return tuple(topics)


def _checked_racks(given: str | None, brokers: int, config: Config) -> tuple[str, ...]:
    """The racks of ``--racks``; raises `StartupError`."""
    if given is None:
        return ()
    racks = tuple(rack.strip() for rack in given.split(","))
    if config.broker_rack is not None:
        raise StartupError("--racks: broker.rack is set too; give the racks in one of them")
    if not all(racks):
        raise StartupError(f"--racks: {given}: a rack is empty; separate racks by single commas")
    if len(racks) > brokers:
        raise StartupError(
            f"--racks: {given}: there cannot be more racks than brokers, and --brokers is {brokers}"
        )
    return racks


def _credentials(users: list[str], scrams: list[str]) -> tuple[UserCredential, ...]:
    """The credentials of all options; an error has no part of a value, which is a secret."""
    option = "--user"
    try:
        credentials = [each for text in users for each in parse_user(text)]
        option = "--add-scram"
        return (*credentials, *map(parse_scram, scrams))
    except InvalidScram as error:
        raise StartupError(f"{option}: {error}") from None


def _settings(properties: Path | None, assignments: list[str]) -> list[Setting]:
    """All settings; later ones override earlier ones."""
    settings = [] if properties is None else read_properties(properties)
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not (key.strip() and equals):
            raise ConfigError(f"-c: {assignment!r} is not KEY=VALUE")
        settings.append(Setting(key.strip(), value, "-c"))
    return settings


def _check_ports(given: argparse.Namespace) -> None:
    advertised = given.advertise and given.advertise[1]
    if advertised and advertised + given.brokers - 1 > PORT_MAX:
        raise StartupError(
            f"--advertise: {advertised} and {given.brokers} brokers exceed port {PORT_MAX}; "
            f"give {PORT_MAX - given.brokers + 1} at most"
        )
    last = given.port + given.brokers - 1
    if given.port == 0:
        return
    if last > PORT_MAX:
        raise StartupError(
            f"--port: {given.port} and {given.brokers} brokers exceed port {PORT_MAX}; "
            f"give {PORT_MAX - given.brokers + 1} at most, or 0 for any free ports"
        )
    if given.port <= given.admin_port <= last and given.admin_host == given.host:
        raise StartupError(
            f"--admin-port: {given.admin_port} is also the port of a broker; "
            f"give one outside of {given.port} to {last}, or 0 for any"
        )
