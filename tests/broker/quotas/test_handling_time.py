"""The processor time of a request."""

from __future__ import annotations

from broker.quotas.handling_time import HandlingTime


class Processor:
    """A processor whose time tests set."""

    def __init__(self) -> None:
        self.now_ns = 1000
        self.handling = HandlingTime(lambda: self.now_ns, is_exempt=False)

    def work(self) -> str:
        """Work for 7 ns."""
        self.now_ns += 7
        return "done"


def test_only_the_steps_of_the_request_count() -> None:
    """Other requests use the processor between them; the present step counts up to now."""
    processor = Processor()
    for _ in range(2):
        processor.handling.begin()
        processor.now_ns += 10
        processor.handling.end()
        processor.now_ns += 5

    processor.handling.begin()
    processor.now_ns += 1

    assert processor.handling.spent_ns == 21


def test_work_in_a_thread_counts() -> None:
    """It returns what the work returns."""
    processor = Processor()

    assert processor.handling.measured(processor.work)() == "done"

    assert processor.handling.spent_ns == 7
