"""Random programs about share groups deliver the same records on our broker and on Kafka."""

from __future__ import annotations

import pytest

from integration.parity.share_comparison import Difference, both_systems, differences, shrunk
from integration.parity.share_programs import ShareProgram, share_program
from integration.parity.share_steps import Expire, Renew

PROGRAMS = 30  # always the same; `make share-programs` plays others


@pytest.mark.kafka
@pytest.mark.timeout(600)
def test_both_systems_deliver_the_same_records() -> None:
    """Acquired ranges, delivery counts and errors of each step are equal; shrinks differences."""
    with both_systems() as play:
        found = [shrunk(play, each) for each in differences(play, range(PROGRAMS))]
    assert not found, "\n\n".join(map(str, found))


def test_a_seed_determines_a_program() -> None:
    """Programs with different seeds differ."""
    assert share_program(7) == share_program(7)
    assert len({share_program(seed).text() for seed in range(100)}) == 100


def test_programs_have_every_kind_of_step() -> None:
    """The programs of the suite are enough for that."""
    kinds = {type(step) for seed in range(PROGRAMS) for step in share_program(seed).steps}
    assert len(kinds) == 11


def test_a_difference_is_shrunk_to_the_steps_that_are_needed() -> None:
    """Here it needs a renewal before an expiry."""

    def play(program: ShareProgram) -> tuple[list[str], list[str]]:
        kinds = [type(step) for step in program.steps]
        differs = Renew in kinds and Expire in kinds[kinds.index(Renew) :]
        return [str(differs)], ["False"]

    program = next(each for each in map(share_program, range(1000)) if play(each)[0] == ["True"])
    found = shrunk(play, Difference(program, ["True"], ["False"]))
    assert [type(step) for step in found.program.steps] == [Renew, Expire]
