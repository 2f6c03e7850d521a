"""Programs that use Kafka work with our broker: one small check each.

They are fetched the first time, which takes minutes: `make programs`, or
ANTECHAMBER_REQUIRE=programs. docs/reference/programs.md lists them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from antechamber import Cluster
from integration.machine.requirements import is_required
from integration.programs import PROGRAMS
from integration.programs.program import Place, Program, Unavailable

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "programs.md"


@pytest.mark.timeout(1200)
@pytest.mark.skipif(not is_required("programs"), reason="slow: make programs runs it")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_works(program: Program, tmp_path: Path) -> None:
    """Its check passes on a broker with default settings."""
    with Cluster() as kafka:
        try:
            program.check(Place(kafka.bootstrap, tmp_path))
        except Unavailable as reason:
            pytest.skip(f"{program.name} cannot be fetched here: {reason}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_page_lists_a_program(program: Program) -> None:
    """The page has its version and a description of its check."""
    assert f"| {program.name} | {program.version} | {program.shows} |" in PAGE.read_text()
