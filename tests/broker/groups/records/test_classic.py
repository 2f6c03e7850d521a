"""Records of classic groups, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tests.broker.groups.records.golden import assert_written_as

MEMBER_ID = "inst-35fae694-0e7b-47e7-bafd-6232dff9d454"


def test_a_new_group() -> None:
    """It is written before its first member has joined, without type, protocol and leader."""
    assert_written_as(
        RawRecord(
            b"\x00\x02\x00\x06c3655s",
            b"\x00\x03\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"
            b"\x00\x00\x01\xa1\xfdt\xdd&\x00\x00\x00\x00",
        ),
        GroupMetadataKey(group="c3655s"),
        GroupMetadataValue(
            protocol_type="",
            generation=0,
            protocol=None,
            leader=None,
            current_state_timestamp=1_795_253_656_870,
            members=[],
        ),
    )


def test_a_generation() -> None:
    """Each member has its subscription and its assignment."""
    subscription = b"\x00\x01\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff\x00\x00\x00\x00"
    assignment = (
        b"\x00\x01\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff"
    )
    name = MEMBER_ID.encode()
    assert_written_as(
        RawRecord(
            b"\x00\x02\x00\x06c3655s",
            b"\x00\x03\x00\x08consumer\x00\x00\x00\x01\x00\x05range\x00)"
            + name
            + b"\x00\x00\x01\xa1\xfdt\xdd'\x00\x00\x00\x01\x00)"
            + name
            + b"\x00\x04inst\x00\x05probe\x00\n/127.0.0.1\x00\x00\x13\x88\x00\x00u0"
            b"\x00\x00\x00\x11" + subscription + b"\x00\x00\x00\x15" + assignment,
        ),
        GroupMetadataKey(group="c3655s"),
        GroupMetadataValue(
            protocol_type="consumer",
            generation=1,
            protocol="range",
            leader=MEMBER_ID,
            current_state_timestamp=1_795_253_656_871,
            members=[
                MemberMetadata(
                    member_id=MEMBER_ID,
                    group_instance_id="inst",
                    client_id="probe",
                    client_host="/127.0.0.1",
                    rebalance_timeout=5000,
                    session_timeout=30_000,
                    subscription=subscription,
                    assignment=assignment,
                )
            ],
        ),
    )


def test_a_deleted_group() -> None:
    """A tombstone."""
    raw = RawRecord(b"\x00\x02\x00\x06c3655s", None)
    assert_written_as(raw, GroupMetadataKey(group="c3655s"), None)
