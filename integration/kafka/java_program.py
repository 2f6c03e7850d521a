"""Compiles a Java source with Apache Kafka's jars, and runs it or returns the command."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from integration.kafka.jars import kafka_jars
from integration.machine.deadlines import ENDS_WITHIN_S

_SOURCES = Path(__file__).parents[1] / "java"
# Most code of a program runs once, so that the second compiler does not pay off.
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

# Runs a command of a Java program, and returns the line that it prints.
Command = Callable[[str], str]


def java_command(
    source: Path, main_class: str, classes: Path, jars: Path | None = None
) -> list[str]:
    """Compile *source* into the folder *classes*; returns the command that runs *main_class*.

    The source may be in a package of Kafka, to access package-private members. Other sources of
    integration/java that it uses are compiled with it. *jars* replace those of the broker.
    """
    class_path = f"{classes}:{jars or kafka_jars()}/*"
    compiler = ["javac", *(f"-J{option}" for option in _QUICK)]
    compiler += ["-cp", class_path, "-d", str(classes), "--release", "17"]
    subprocess.run([*compiler, "-sourcepath", _SOURCES, source], check=True, timeout=ENDS_WITHIN_S)
    return ["java", *_QUICK, "-Dlog4j2.level=OFF", "-cp", class_path, main_class]


def java_lines(source: Path, main_class: str, classes: Path, lines: Iterable[str]) -> list[str]:
    """Compile *source* and run *main_class* with *lines* as input; returns the lines it prints."""
    return subprocess.run(
        java_command(source, main_class, classes),
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=ENDS_WITHIN_S,
    ).stdout.splitlines()


@contextmanager
def commands(program: Sequence[str]) -> Iterator[Command]:
    """Run a program that prints one line for each line of its input; it is killed at the end."""
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        words, results = running.stdin, running.stdout

        def run(command: str) -> str:
            words.write(f"{command}\n")
            words.flush()
            return results.readline().strip()

        try:
            yield run
        finally:
            running.kill()
