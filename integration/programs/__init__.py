"""Programs that use Kafka, each with one small check on our broker."""

from __future__ import annotations

from integration.programs import (
    copies,
    exactly_once,
    java_programs,
    kcat,
    node_programs,
    python_programs,
)
from integration.programs.program import Program

PROGRAMS: tuple[Program, ...] = (
    *java_programs.PROGRAMS,
    *exactly_once.PROGRAMS,
    *copies.PROGRAMS,
    *python_programs.PROGRAMS,
    *node_programs.PROGRAMS,
    *kcat.PROGRAMS,
)
