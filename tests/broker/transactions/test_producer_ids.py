"""The producer ids of a node."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.transactions.producer_ids import ProducerIdManager
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer
from tests.broker.transactions.world import Blocks


class Node:
    """A node with its controller, which has blocks of ten ids, and its clock."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.blocks = Blocks(size=10)
        self._timer = SystemTimer("test", now_ms=lambda: self.now_ms)
        self._ids = ProducerIdManager(self.blocks, self._timer)

    def take(self, count: int = 1) -> list[int]:
        """The next ids."""
        return [self._ids.generate() for _ in range(count)]

    def refusal(self) -> ErrorCode | None:
        """The error of the next request for an id."""
        try:
            self._ids.generate()
        except ApiError as error:
            return error.code
        return None

    def pass_to(self, now_ms: float) -> None:
        self.now_ms = now_ms
        self._timer.advance_clock(0)


@pytest.fixture
def node() -> Node:
    return Node()


def test_ids_are_taken_from_blocks(node: Node) -> None:
    """In order, and without gaps as long as no other node takes a block."""
    assert node.take(25) == list(range(25))


def test_the_next_block_is_requested_at_nine_tenths(node: Node) -> None:
    """So that the node always has ids."""
    node.take(9)
    assert node.blocks.requests == 1

    node.take()

    assert node.blocks.requests == 2


def test_without_a_block_the_coordinator_is_loading(node: Node) -> None:
    """One request is sent, and its response is used later."""
    node.blocks.is_silent = True
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

    assert [node.refusal(), node.refusal()] == [loading, loading]
    assert node.blocks.requests == 1
    node.blocks.respond()

    assert node.take() == [0]


def test_a_refused_request_is_repeated_after_50_ms(node: Node) -> None:
    """At the next request for an id."""
    node.blocks.error = ApiError(ErrorCode.NOT_CONTROLLER)
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert node.refusal() is loading
    node.blocks.error = None
    node.pass_to(49)
    assert node.refusal() is loading
    assert node.blocks.requests == 1

    node.pass_to(50)

    assert node.take() == [0]


def test_a_refused_prefetch_leaves_the_ids_that_are_left(node: Node) -> None:
    """The last tenth of the block."""
    node.take(9)
    node.blocks.error = ApiError(ErrorCode.NOT_CONTROLLER)

    assert node.take() == [9]
    assert node.refusal() is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
