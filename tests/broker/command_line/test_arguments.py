"""The command line of ``antechamber serve``."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.options import ServeOptions
from broker.common.errors import StartupError
from broker.reset.given import GivenTopic


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
    assert (options.host, options.port, options.admin.port) == ("127.0.0.1", 9092, 9644)


def test_each_option_sets_its_field(tmp_path: Path) -> None:
    """All options can be given together."""
    line = (
        "--host 0.0.0.0 --port 0 --brokers 3 --admin-port 0 --data-dir d --data-dir e "
        "-c num.partitions=2 --topic a --topic b:3 --topic c:4:2 --record --records r "
        "--records-topic t --request-log l --otlp u --ready-file f --faults s.yaml --quiet "
        "--verbose --stop-with-stdin"
    )
    options = parse_arguments(line.split())

    assert (options.host, options.port, options.brokers, options.admin.port) == ("0.0.0.0", 0, 3, 0)
    assert (
        options.data_dirs,
        options.records,
        options.request_log,
        options.ready_file,
    ) == (
        (Path("d"), Path("e")),
        Path("r"),
        Path("l"),
        Path("f"),
    )
    assert options.config.num_partitions == 2
    assert options.topics == (GivenTopic("a"), GivenTopic("b", 3), GivenTopic("c", 4, 2))
    assert (options.records_topic, options.quiet, options.verbose) == ("t", True, True)
    assert (options.stop_with_stdin, options.faults) == (True, Path("s.yaml"))
    assert options.otlp == "u"


@pytest.mark.parametrize(
    ("line", "racks"),
    [
        ("--brokers 3 --racks a,b,c", ["a", "b", "c"]),
        ("--brokers 3 --racks a,b", ["a", "b", "a"]),
        ("--brokers 3 --racks a,b,c -c node.id=0", ["b", "c", "a"]),
        ("--brokers 3 -c broker.rack=a", ["a", "a", "a"]),
        ("--brokers 3", [None, None, None]),
    ],
)
def test_each_node_has_a_rack(line: str, racks: list[str | None]) -> None:
    """In the order of the ids; if there are fewer racks than nodes, in turn."""
    options = parse_arguments(line.split())

    assert [options.rack(node_id) for node_id in (1, 2, 3)] == racks


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


def test_an_address_to_listen_at_may_have_brackets() -> None:
    """As an IPv6 address in a URL has."""
    options = parse_arguments(["--host", "[::1]", "--admin-host", "[::1]"])

    assert (options.host, options.admin.host) == ("::1", "::1")


@pytest.mark.parametrize(
    "line", ["--record", "--records r", "--records-topic t", "--request-log l", "--otlp u"]
)
def test_each_option_for_records_enables_recording(line: str) -> None:
    """One of them is enough."""
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
            "--racks a,b",
            "--racks: a,b: there cannot be more racks than brokers, and --brokers is 1",
        ),
        (
            "--brokers 3 --racks a,,b",
            "--racks: a,,b: a rack is empty; separate racks by single commas",
        ),
        (
            "--racks a -c broker.rack=b",
            "--racks: broker.rack is set too; give the racks in one of them",
        ),
        (
            "--topic a:1:2",
            ("--topic: a:1:2: there cannot be more replicas than brokers, and --brokers is 1"),
        ),
        ("--topic a --topic a:2", "--topic: a is given twice"),
        (
            "--topic __consumer_offsets:2",
            (
                "--topic: __consumer_offsets is created by the broker when it is first used, with "
                "the partitions of offsets.topic.num.partitions; set this key"
            ),
        ),
        (
            "--topic a -c default.replication.factor=0",
            (
                "--topic: a: default.replication.factor is 0; give a positive one, "
                "or NAME:PARTITIONS:REPLICATION"
            ),
        ),
        (
            "--records-topic __consumer_offsets",
            "--records-topic: __consumer_offsets is an internal topic; give another name",
        ),
        ("--data-dir a --data-dir ./a", "--data-dir: a is given twice"),
        ("--prot 1", "'--prot' is unknown; did you mean --port?"),
        ("--brokerss=3", "'--brokerss' is unknown; did you mean --brokers?"),
        (
            "--explode now",
            "unrecognized arguments: --explode now; antechamber serve --help lists the options",
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


def test_help_is_printed_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """--help exits with 0 and names the options."""
    with pytest.raises(SystemExit) as end:
        parse_arguments(["--help"])

    assert end.value.code == 0
    assert "--records-topic NAME" in capsys.readouterr().out


def test_users_have_scram_credentials() -> None:
    """``--user`` for both mechanisms, ``--add-scram`` for one."""
    options = parse_arguments(
        ["--user", "alice:secret", "--add-scram", "SCRAM-SHA-256=[name=bob,password=geheim]"]
    )

    assert [(each.user, each.mechanism) for each in options.credentials] == [
        ("alice", "SCRAM-SHA-256"),
        ("alice", "SCRAM-SHA-512"),
        ("bob", "SCRAM-SHA-256"),
    ]
    assert "geheim" not in repr(options)


def test_an_invalid_user_is_refused_without_its_password() -> None:
    """The message names the option."""
    assert refusal("--user", ":secret") == "--user: the value is not NAME:PASSWORD"
    message = refusal("--add-scram", "SCRAM-SHA-256=[password=secret]")
    assert message == "--add-scram: the part name is missing"


@pytest.mark.parametrize(
    ("arguments", "directories"),
    [
        ("", []),
        ("-c log.dir=/a", ["/a"]),
        ("-c log.dir=/a -c log.dirs=/b,/c", ["/b", "/c"]),
        ("-c log.dirs=/b --data-dir /d", ["/d"]),
    ],
)
def test_the_configuration_may_give_the_data_directories(
    arguments: str, directories: list[str]
) -> None:
    """The option precedes log.dirs, which precedes log.dir."""
    options = parse_arguments(arguments.split())

    assert [str(path) for path in options.data_dirs] == directories
