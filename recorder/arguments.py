"""The command line of ``antechamber record``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from recorder.addresses import Address

EXIT_USAGE = 2


@dataclass(frozen=True)
class Arguments:
    """The parsed arguments of ``antechamber record``."""

    upstream: Address
    host: str
    port: int
    records: Path


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ")
        self.exit(EXIT_USAGE, f"{self.prog}: {message}; {self.prog} --help lists the options\n")


def parse(words: Sequence[str]) -> Arguments:
    """Parse *words*; for invalid arguments, prints one line to stderr and exits."""
    return Arguments(**vars(parser().parse_args(words)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = _Parser(
        prog="antechamber record",
        allow_abbrev=False,
        description="Forward requests to a Kafka cluster and record how long each took.",
        epilog="then: antechamber analyze records.jsonl",
    )
    add = command.add_argument
    add("--upstream", required=True, type=_address, metavar="HOST:PORT", help="a node to record")
    add("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    add("--port", default=0, type=_port, help="port to listen at, 0: any (%(default)s)")
    add(
        "--records",
        default=Path("records.jsonl"),
        type=Path,
        metavar="FILE",
        help="append the records to this file as JSON lines (%(default)s)",
    )
    return command


def _address(text: str) -> Address:
    host, _, port = text.rpartition(":")
    if not host or "," in host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not the HOST:PORT of one node")
    return Address(host.strip("[]"), int(port))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: 0 (any) to 65535")
    return int(text)
