"""Which modules a compiled build has; the entry with the longest path decides about a module.

A compiled module calls other compiled modules directly and reads the attributes of their objects
without a dictionary. So what runs for each small request is compiled, and what that calls. A module
that runs rarely stays interpreted: the build would only take longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

COMPILED = (
    "protocol",
    "protocol/messages/fetch.py",
    "protocol/messages/heartbeat.py",
    "protocol/messages/offset_commit.py",
    "protocol/messages/produce.py",
    "protocol/messages/read_share_group_state.py",
    "protocol/messages/share_fetch.py",
    "protocol/messages/write_share_group_state.py",
    "purgatories",
    "broker/common",
    "broker/config/groups.py",
    "broker/api/dispatch.py",
    "broker/api/handlers/groups/committed_topics.py",
    "broker/api/handlers/current_leader.py",
    "broker/api/handlers/records/fetch.py",
    "broker/api/handlers/records/fetch_partitions.py",
    "broker/api/handlers/records/fetch_response.py",
    "broker/api/handlers/groups/heartbeat.py",
    "broker/api/handlers/groups/offset_commit.py",
    "broker/api/handlers/records/produce.py",
    "broker/api/handlers/records/produce_response.py",
    "broker/api/handlers/groups/replicated.py",
    "broker/api/handlers/request_checks.py",
    "broker/api/handlers/response_callback.py",
    "broker/api/handlers/share/share_fetch.py",
    "broker/api/handlers/share/share_requests.py",
    "broker/api/handlers/share/share_state_results.py",
    "broker/api/handlers/share/write_share_group_state.py",
    "broker/api/outcome.py",
    "broker/api/request.py",
    "broker/api/request_channel.py",
    "broker/api/request_counts.py",
    "broker/api/response_frame.py",
    "broker/api/throttling.py",
    "broker/controller/metadata/image.py",
    "broker/coordinators/coordinator_record.py",
    "broker/coordinators/coordinator_runtime.py",
    "broker/coordinators/deferred_event_queue.py",
    "broker/coordinators/inter_broker_sender.py",
    "broker/coordinators/internal_topic.py",
    "broker/coordinators/partition_log.py",
    "broker/coordinators/prepared_records.py",
    "broker/groups/classic/coordinator.py",
    "broker/groups/classic/group.py",
    "broker/groups/classic/member.py",
    "broker/groups/classic/sessions.py",
    "broker/groups/group.py",
    "broker/groups/group_coordinator_service.py",
    "broker/groups/group_offsets.py",
    "broker/groups/group_states.py",
    "broker/groups/offset_and_metadata.py",
    "broker/groups/offset_metadata_manager.py",
    "broker/groups/records/offsets.py",
    "broker/groups/records/serde.py",
    "broker/network/clients/connected_client.py",
    "broker/network/clients/connection.py",
    "broker/network/clients/in_progress.py",
    "broker/network/clients/reader.py",
    "broker/network/clients/writer.py",
    "broker/network/inter_broker/in_flight_request.py",
    "broker/network/inter_broker/inter_broker_connection.py",
    "broker/network/inter_broker/link.py",
    "broker/network/polling/epoll_poller.py",
    "broker/network/polling/task_poller.py",
    "broker/network/serving/channel.py",
    "broker/network/serving/memory_pool.py",
    "broker/network/serving/node_channels.py",
    "broker/network/serving/served.py",
    "broker/network/serving/serving_task.py",
    "broker/network/transports/transport.py",
    "broker/quotas/client_quota_manager.py",
    "broker/quotas/client_request_quota_manager.py",
    "broker/quotas/handling_time.py",
    "broker/quotas/quota_managers.py",
    "broker/quotas/throttle.py",
    "broker/replication/fetch_context.py",
    "broker/replication/fetch_data.py",
    "broker/replication/fetch_session.py",
    "broker/replication/fetch_source.py",
    "broker/replication/follower/fetch_session_handler.py",
    "broker/replication/follower/partition_fetch_state.py",
    "broker/replication/follower/replica_fetcher.py",
    "broker/replication/holds.py",
    "broker/replication/hosted_partitions.py",
    "broker/replication/isr_state.py",
    "broker/replication/leader_state.py",
    "broker/replication/log_reader.py",
    "broker/replication/partition.py",
    "broker/replication/partition_purgatories.py",
    "broker/replication/replica.py",
    "broker/replication/replica_manager.py",
    "broker/replication/replica_selector.py",
    "broker/replication/replication.py",
    "broker/replication/validations.py",
    "broker/share",
    "broker/share_coordinator",
    "broker/steps/idle_loop.py",
    "broker/steps/pieces.py",
    "broker/steps/queue.py",
    "broker/steps/schedule.py",
    "broker/steps/watchdog.py",
    "broker/storage/files/disk.py",
    "broker/storage/files/storage_errors.py",
    "broker/storage/indexes/offset_index.py",
    "broker/storage/indexes/sparse_index.py",
    "broker/storage/indexes/time_index.py",
    "broker/storage/log/leader_epoch_file_cache.py",
    "broker/storage/log/local_log.py",
    "broker/storage/log/readable_log.py",
    "broker/storage/log/unified_log.py",
    "broker/storage/log_config.py",
    "broker/storage/producers/packed_producers.py",
    "broker/storage/producers/producer_append.py",
    "broker/storage/producers/producer_state.py",
    "broker/storage/producers/producer_state_entry.py",
    "broker/storage/producers/transactions.py",
    "broker/storage/producers/verification_state.py",
    "broker/storage/segments/file_batches.py",
    "broker/storage/segments/file_slice.py",
    "broker/storage/segments/log_segments.py",
    "broker/storage/segments/offset_metadata.py",
    "broker/storage/segments/read_cache.py",
    "broker/storage/segments/recent_batches.py",
    "broker/storage/segments/segment.py",
    "broker/storage/validation/append.py",
    "broker/storage/validation/log_validator.py",
    "broker/storage/validation/loop_budget.py",
)

RARE = "runs rarely, and not for each small request"
UNMEASURED = "has not been measured"
ONCE_PER_MESSAGE = "generates readers and writers: runs once for each version of a message"

# Folders and files that stay interpreted, and why.
INTERPRETED = {
    "protocol/api_names.py": RARE,
    "protocol/compression.py": "calls libraries",
    "protocol/consumer_protocol.py": RARE,
    "protocol/errors.py": "has only an enumeration",
    "protocol/fields.py": ONCE_PER_MESSAGE,
    "protocol/lazy_dataclass.py": "runs once for each class",
    "protocol/lz4_frame.py": "calls libraries",
    "protocol/codec_source.py": ONCE_PER_MESSAGE,
    "protocol/messages": RARE,
    "protocol/output.py": "an Output is a bytearray, from which no compiled class can derive",
    "protocol/schema.py": "has only declarations",
    "protocol/record_batch/crc.py": "calls a library",
    "protocol/record_batch/slices.py": RARE,
    "protocol/slices.py": ONCE_PER_MESSAGE,
    "protocol/source.py": ONCE_PER_MESSAGE,
    "protocol/structs.py": ONCE_PER_MESSAGE,
    "protocol/wire.py": ONCE_PER_MESSAGE,
    "purgatories/marks.py": "has only a mark for mypyc",
    "purgatories/timer/__main__.py": "is a program",
    "purgatories/timer/alarm.py": "awaits trio",
    "purgatories/timer/asyncio_reaper.py": RARE,
    "purgatories/timer/path.py": "draws a timer",
    "purgatories/timer/reaper.py": "a compiled subclass of Thread crashes in garbage collection",
    "purgatories/timer/snapshot.py": "draws a timer",
    "purgatories/timer/timerfd_alarm.py": "awaits trio",
    "purgatories/timer/trio_reaper.py": "awaits trio",
    "broker/__init__.py": "is empty",
    "broker/__main__.py": "is a program",
    "broker/admin": RARE,
    "broker/api": UNMEASURED,
    "broker/coordinators": UNMEASURED,
    "broker/groups": RARE,
    "broker/network": UNMEASURED,
    "broker/quotas": UNMEASURED,
    "broker/replication": UNMEASURED,
    "broker/share_coordinator/periodic_tasks.py": RARE,
    "broker/steps": UNMEASURED,
    "broker/storage": RARE,
    "broker/wait_records": "has classes whose attributes tests and interpreted classes replace",
    "broker/clock_control": RARE,
    "broker/cluster.py": RARE,
    "broker/command_line": RARE,
    "broker/config": "its annotations are read at run time",
    "broker/controller": RARE,
    "broker/faults": "runs only while fault rules are set",
    "broker/links": RARE,
    "broker/maintenance": RARE,
    "broker/node.py": RARE,
    "broker/node_faults.py": RARE,
    "broker/node_network.py": RARE,
    "broker/node_share_groups.py": RARE,
    "broker/node_shared_parts.py": RARE,
    "broker/node_transactions.py": RARE,
    "broker/process": RARE,
    "broker/reset": RARE,
    "broker/security": RARE,
    "broker/server.py": RARE,
    "broker/share/offset_reset.py": RARE,
    "broker/share/waits.py": "derives from a class that is interpreted",
    "broker/transactions": RARE,
    "broker/what_if": RARE,
}


def compiled_modules(root: Path) -> list[str]:
    """The modules of the checkout at *root* to compile, as paths relative to it, in order."""
    return [name for name in modules(root) if is_compiled(name)]


def modules(root: Path) -> Iterator[str]:
    """All modules of the packages that have compiled ones."""
    for package in ("broker", "protocol", "purgatories"):
        for path in sorted((root / package).rglob("*.py")):
            yield path.relative_to(root).as_posix()


def is_compiled(name: str) -> bool:
    """Whether the module with this path is compiled."""
    return deciding_entry(name) in COMPILED


def deciding_entry(name: str) -> str | None:
    """The entry that decides about the module with this path; None if there is none."""
    path = Path(name)
    paths = [each.as_posix() for each in (path, *path.parents)]
    return next((each for each in paths if each in COMPILED or each in INTERPRETED), None)
