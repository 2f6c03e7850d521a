"""The command line of serve."""

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
    """antechamber serve alone serves on 127.0.0.1:9092."""
    options = parse_arguments([])

    assert options == ServeOptions()
    assert (options.host, options.port, options.admin_port) == ("127.0.0.1", 9092, 9644)


def test_every_option_reaches_its_place(tmp_path: Path) -> None:
    """All options of the contract are there."""
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
    """Without one the port is the one that is served on."""
    options = parse_arguments(["--advertise", address])

    assert (options.advertised_host, options.advertised_port) == (host, port)


@pytest.mark.parametrize("line", ["--record", "--records r", "--records-topic t"])
def test_a_place_for_records_implies_recording(line: str) -> None:
    """Each of the three is enough."""
    assert parse_arguments(line.split()).record


def test_the_command_line_goes_over_the_file(tmp_path: Path) -> None:
    """-c wins over --properties, wherever it stands."""
    path = tmp_path / "p"
    path.write_text("num.partitions=2\nfetch.max.bytes=2048\n")

    options = parse_arguments(["-c", "num.partitions=5", "--properties", str(path)])

    assert options.config.num_partitions == 5
    assert options.config.fetch_max_bytes == 2048


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    """The message says which line of which file."""
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
            "--advertise: 65535 and 2 brokers go beyond 65535; give 65534 at most",
        ),
        ("--brokers 0", "--brokers: '0' is not a whole number from 1 to 100"),
        (
            "--port 65535 --brokers 2",
            (
                "--port: 65535 and 2 brokers go beyond 65535; "
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
                "--admin-host: 0.0.0.0 can be reached from elsewhere; "
                "give --admin-token-file with it, or an address of loopback"
            ),
        ),
        (
            "--admin-host 127.evil.example",
            (
                "--admin-host: 127.evil.example can be reached from elsewhere; "
                "give --admin-token-file with it, or an address of loopback"
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
def test_a_mistake_is_one_line(line: str, message: str) -> None:
    """It names the option, what was given, and what is allowed."""
    assert refusal(*line.split()) == message


@pytest.mark.parametrize("name", ["", "..", "a/b", "x" * 250])
def test_an_illegal_topic_name_is_refused(name: str) -> None:
    """Kafka's rules for names hold before the broker starts."""
    assert "Topic name is invalid" in refusal("--topic", name)


def test_the_admin_token_is_the_word_in_the_file(tmp_path: Path) -> None:
    """The line break that editors leave is not part of it."""
    path = tmp_path / "token"
    path.write_text("s3cret\n")

    options = parse_arguments(["--admin-host", "0.0.0.0", "--admin-token-file", str(path)])

    assert options.admin_token == "s3cret"


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff"])
def test_a_token_file_without_a_token_is_refused(tmp_path: Path, content: bytes) -> None:
    """An empty token would let everyone in."""
    path = tmp_path / "token"
    path.write_bytes(content)

    assert refusal("--admin-token-file", str(path)).startswith("--admin-token-file: ")


def test_other_addresses_of_loopback_need_no_token() -> None:
    """127.0.0.0/8 and ::1 cannot be reached from elsewhere."""
    assert parse_arguments(["--admin-host", "127.0.0.2"]).admin_token is None
    assert parse_arguments(["--admin-host", "::1"]).admin_token is None


def test_help_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """--help ends well and names every option."""
    with pytest.raises(SystemExit) as end:
        parse_arguments(["--help"])

    assert end.value.code == 0
    assert "--records-topic NAME" in capsys.readouterr().out
