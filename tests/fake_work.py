"""Work on partitions for tests of the admin interface, without a broker."""

from __future__ import annotations

from broker.admin.facts.json_object import JsonObject


class FakeWork:
    """Work on partitions, which has no effect; ``calls`` has what was requested."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.result: list[JsonObject] = []

    async def compact(self, topic: str, partition: int | None) -> JsonObject:
        return self._done("compact", topic, partition)

    async def roll(self, topic: str, partition: int | None) -> JsonObject:
        return self._done("roll", topic, partition)

    async def expire(self, topic: str, partition: int | None) -> JsonObject:
        return self._done("expire", topic, partition)

    async def elect(
        self, topic: str, partition: int | None, leader: int | None, *, unclean: bool = False
    ) -> JsonObject:
        return self._done("elect", topic, partition, leader, unclean)

    def _done(self, *call: object) -> JsonObject:
        self.calls.append(call)
        return {"partitions": self.result}
