"""The command line of ``antechamber serve``."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.options import ServeOptions, TopicSpec
from broker.common.errors import StartupError


def refusal(*arguments: str) -> str:
    with pytest.raises(StartupError) as refused:
        parse_arguments(arguments)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_no_arguments_are_the_defaults() -> None:
    """The broker listens at 127.0.0.1:9092."""
    options = parse_arguments([])

    assert options == ServeOptions()
    assert (options.host, options.port, options.admin_port) == ("127.0.0.1", 9092, 9644)


def test_each_option_sets_its_field(tmp_path: Path) -> None:
    """All options can be given together."""
    line = (
        "--host 0.0.0.0 --port 0 --brokers 3 --admin-port 0 --data-dir d --data-dir e "
        "-c num.partitions=2 --topic a --topic b:3 --topic c:4:2 --record --records r "
        "--records-topic t --ready-file f --quiet --verbose --stop-with-stdin"
    )
    options = parse_arguments(line.split())

    assert (options.host, options.port, options.brokers, options.admin_port) == ("0.0.0.0", 0, 3, 0)
    assert (options.data_dirs, options.records, options.ready_file) == (
        (Path("d"), Path("e")),
        Path("r"),
        Path("f"),
    )
    assert options.config.num_partitions == 2
    assert options.topics == (TopicSpec("a"), TopicSpec("b", 3), TopicSpec("c", 4, 2))
    assert (options.records_topic, options.quiet, options.verbose) == ("t", True, True)
    assert options.stop_with_stdin


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("broker.example", "broker.example", None),
        ("broker.example:19092", "broker.example", 19092),
        ("[::1]:19092", "::1", 19092),
        ("[::1]", "::1", None),
    ],
)
def test_an_advertised_address_may_have_a_port(address: str, host: str, port: int | None) -> None:
    """Without a port, the port that the broker listens at is advertised."""
    options = parse_arguments(["--advertise", address])

    assert (options.advertised_host, options.advertised_port) == (host, port)


@pytest.mark.parametrize("line", ["--record", "--records r", "--records-topic t"])
def test_each_option_for_records_enables_recording(line: str) -> None:
    """One of the three is enough."""
    assert parse_arguments(line.split()).record


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    """-c overrides --properties in any order."""
    path = tmp_path / "p"
    path.write_text("num.partitions=2\nfetch.max.bytes=2048\n")

    options = parse_arguments(["-c", "num.partitions=5", "--properties", str(path)])

    assert options.config.num_partitions == 5
    assert options.config.fetch_max_bytes == 2048


def test_an_error_in_a_file_names_the_line(tmp_path: Path) -> None:
    """The message begins with the file and the line number."""
    path = tmp_path / "p"
    path.write_text("# mine\nnum.partitions=many\n")

    assert refusal("--properties", str(path)) == (
        f"{path}:2: num.partitions='many' is not a whole number from 1 to 2147483647"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--port 99999", "--port: '99999' is not a whole number from 0 to 65535"),
        ("--port -1", "--port: '-1' is not a whole number from 0 to 65535"),
        ("--port 9_092", "--port: '9_092' is not a whole number from 0 to 65535"),
        ("--admin-port x", "--admin-port: 'x' is not a whole number from 0 to 65535"),
        ("--advertise :9092", "--advertise: ':9092' is not HOST or HOST:PORT"),
        ("--advertise h:", "--advertise: 'h:' is not HOST or HOST:PORT"),
        ("--advertise ::1", "--advertise: '::1' is not HOST or HOST:PORT"),
        ("--advertise h:0", "--advertise: h:0: port: '0' is not a whole number from 1 to 65535"),
        (
            "--advertise h:65535 --brokers 2",
            "--advertise: 65535 and 2 brokers exceed port 65535; give 65534 at most",
        ),
        ("--brokers 0", "--brokers: '0' is not a whole number from 1 to 100"),
        (
            "--port 65535 --brokers 2",
            (
                "--port: 65535 and 2 brokers exceed port 65535; "
                "give 65534 at most, or 0 for any free ports"
            ),
        ),
        (
            "--port 9092 --brokers 3 --admin-port 9094",
            (
                "--admin-port: 9094 is also the port of a broker; "
                "give one outside of 9092 to 9094, or 0 for any"
            ),
        ),
        ("-c num.partitions", "-c: 'num.partitions' is not KEY=VALUE"),
        ("-c =3", "-c: '=3' is not KEY=VALUE"),
        ("--topic a:b", "--topic: a:b: partitions: 'b' is not a whole number from 1 to 10000"),
        (
            "--topic a:1:0",
            "--topic: a:1:0: replication: '0' is not a whole number from 1 to 100",
        ),
        ("--topic a:1:1:1", "--topic: 'a:1:1:1' is not NAME[:PARTITIONS[:REPLICATION]]"),
        (
            "--topic a:1:2",
            ("--topic: a:1:2: there cannot be more replicas than brokers, and --brokers is 1"),
        ),
        ("--topic a --topic a:2", "--topic: a is given twice"),
        ("--data-dir a --data-dir ./a", "--data-dir: a is given twice"),
        (
            "--admin-host 0.0.0.0",
            (
                "--admin-host: 0.0.0.0 can be reached from other machines; "
                "give --admin-token-file as well, or a loopback address"
            ),
        ),
        (
            "--admin-host 127.evil.example",
            (
                "--admin-host: 127.evil.example can be reached from other machines; "
                "give --admin-token-file as well, or a loopback address"
            ),
        ),
        (
            "--prot 1",
            "unrecognized arguments: --prot 1; antechamber serve --help lists the options",
        ),
        (
            "--port",
            "--port: expected one argument; antechamber serve --help lists the options",
        ),
    ],
)
def test_an_error_is_one_line(line: str, message: str) -> None:
    """It names the option, the given value and the allowed values."""
    assert refusal(*line.split()) == message


@pytest.mark.parametrize("name", ["", "..", "a/b", "x" * 250])
def test_an_illegal_topic_name_is_refused(name: str) -> None:
    """Kafka's rules for names are checked before the broker starts."""
    assert "Topic name is invalid" in refusal("--topic", name)


def test_the_admin_token_is_the_word_in_the_file(tmp_path: Path) -> None:
    """A line break at the end is removed."""
    path = tmp_path / "token"
    path.write_text("s3cret\n")

    options = parse_arguments(["--admin-host", "0.0.0.0", "--admin-token-file", str(path)])

    assert options.admin_token == "s3cret"


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff"])
def test_a_token_file_without_a_token_is_refused(tmp_path: Path, content: bytes) -> None:
    """An empty token would give access to all clients."""
    path = tmp_path / "token"
    path.write_bytes(content)

    assert refusal("--admin-token-file", str(path)).startswith("--admin-token-file: ")


def test_other_addresses_of_loopback_need_no_token() -> None:
    """Other machines cannot reach 127.0.0.0/8 and ::1."""
    assert parse_arguments(["--admin-host", "127.0.0.2"]).admin_token is None
    assert parse_arguments(["--admin-host", "::1"]).admin_token is None


def test_help_is_printed_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """--help exits with 0 and names the options."""
    with pytest.raises(SystemExit) as end:
        parse_arguments(["--help"])

    assert end.value.code == 0
    assert "--records-topic NAME" in capsys.readouterr().out
