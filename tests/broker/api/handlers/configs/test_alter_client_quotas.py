"""AlterClientQuotas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocol.errors import ErrorCode
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio

RATE = "producer_byte_rate"
A, B = (("client-id", "a"),), (("client-id", "b"),)


def entry(entity: Any, *ops: tuple[str, float | None]) -> EntryData:
    """One entity's changes; None removes a quota."""
    return EntryData(
        entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
        ops=[OpData(key=key, value=value or 0.0, remove=value is None) for key, value in ops],
    )


def alter(*entries: EntryData, validate_only: bool = False) -> AlterClientQuotasRequest:
    """The request."""
    return AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)


def outcomes(response: Any) -> list[tuple[Any, ErrorCode, str | None]]:
    """Each entity, and its error."""
    return [
        (
            tuple((each.entity_type, each.entity_name) for each in entry.entity),
            ErrorCode(entry.error_code),
            entry.error_message,
        )
        for entry in response.entries
    ]


@pytest.mark.parametrize("version", [0, 1])
async def test_quotas_are_set_and_removed(tmp_path: Path, version: int) -> None:
    """An entity without quotas is removed."""
    async with running_cluster(tmp_path) as cluster:
        client, image = cluster.client(2), cluster.node(3).image

        response = await client.send(alter(entry(A, (RATE, 5.0)), entry(B, (RATE, 7.0))), version)
        known = dict(image.client_quotas)
        await client.send(alter(entry(A, (RATE, None))), version)

        assert outcomes(response) == [(A, ErrorCode.NONE, None), (B, ErrorCode.NONE, None)]
        assert known == {A: {RATE: 5.0}, B: {RATE: 7.0}}
        assert image.client_quotas == {B: {RATE: 7.0}}


async def test_an_entity_that_is_refused_does_not_delay_the_others(tmp_path: Path) -> None:
    """An entity with one invalid quota gets none of its quotas."""
    async with running_node(tmp_path) as node:
        bad, good = entry(A, (RATE, 1.0), ("x", 1.0)), entry(B, (RATE, 1.0))

        response = await node.client().send(alter(bad, good))

        assert outcomes(response) == [
            (A, ErrorCode.INVALID_REQUEST, "Invalid configuration key x"),
            (B, ErrorCode.NONE, None),
        ]
        assert node.node.image.client_quotas == {B: {RATE: 1.0}}


async def test_validate_only_sets_nothing(tmp_path: Path) -> None:
    """Errors are the same."""
    async with running_node(tmp_path) as node:
        good, bad = entry(A, (RATE, 1.0)), entry(B, (RATE, -1.0))

        response = await node.client().send(alter(good, bad, validate_only=True))

        assert [code for _, code, _ in outcomes(response)] == [0, ErrorCode.INVALID_REQUEST]
        assert not node.node.image.client_quotas


async def test_an_entity_named_twice_is_in_the_response_once(tmp_path: Path) -> None:
    """As in Kafka it is altered as named first, and the result is an error."""
    async with running_node(tmp_path) as node:
        both = (("client-id", None), ("user", "u"))

        response = await node.client().send(
            alter(entry(both, (RATE, 1.0)), entry(both, (RATE, 2.0)))
        )

        message = "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=null, user=u})"
        assert outcomes(response) == [(both, ErrorCode.INVALID_REQUEST, message)]
        assert node.node.image.client_quotas == {both: {RATE: 1.0}}


async def test_a_quota_named_twice_is_refused(tmp_path: Path) -> None:
    """It is not clear which value counts."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(alter(entry(A, (RATE, 1.0), (RATE, None))))

        message = "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=a})"
        assert outcomes(response) == [(A, ErrorCode.INVALID_REQUEST, message)]
        assert not node.node.image.client_quotas


async def test_quotas_survive_a_restart(tmp_path: Path) -> None:
    """Including defaults; they apply at once."""
    all_clients = (("client-id", None),)
    async with running_node(tmp_path, kept=True) as node:
        await node.client().send(alter(entry(all_clients, (RATE, 5.0)), entry(B, (RATE, 7.0))))

    async with running_node(tmp_path, kept=True) as node:
        assert node.node.image.client_quotas == {all_clients: {RATE: 5.0}, B: {RATE: 7.0}}
        assert node.node.client_quotas.produce.quotas_enabled
