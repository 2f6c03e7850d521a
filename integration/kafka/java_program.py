"""Compiles a Java source with Apache Kafka's jars, and returns the command that runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from integration.kafka.jars import kafka_jars

_SOURCES = Path(__file__).parents[1] / "java"
_JVM_OPTIONS = ("-XX:+UseSerialGC", "-Dlog4j2.level=OFF")


def java_command(source: Path, main_class: str, classes: Path) -> list[str]:
    """Compile *source* into the folder *classes*; returns the command that runs *main_class*.

    The source may be in a package of Kafka, to access package-private members. Other sources of
    integration/java that it uses are compiled with it.
    """
    class_path = f"{classes}:{kafka_jars()}/*"
    compiler = ["javac", "-cp", class_path, "-d", str(classes), "--release", "17"]
    subprocess.run([*compiler, "-sourcepath", _SOURCES, source], check=True, timeout=120)
    return ["java", *_JVM_OPTIONS, "-cp", class_path, main_class]
