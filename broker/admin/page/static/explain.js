// Sentences about a request, from its wait record or from the facts of its wait.

import {
  clientName,
  counted,
  duration,
  durationMs,
  number,
  partitionName,
  some,
} from "/page/format.js";

/** A request in a few words: Fetch 12 of reader → node 2. */
export function requestName(row) {
  return `${row.api} ${row.correlation_id} of ${clientName(row.client_id)} → node ${row.node}`;
}

// What a request waits for, by the kind of its condition, and in parentheses what it has.
const AWAITED = {
  min_bytes: (w, row) => [
    `${counted(w.need, "byte")} of ${offsets(row)}`,
    `${number(w.had)} available`,
  ],
  high_watermark: (w, row) => [
    `the high watermark of ${partitionName(w)} to reach ${number(w.need)}`,
    `${has(w)}${behind(w, row)}`,
  ],
  transaction: (w) => [offset(w), heldBack(w)],
  low_watermark: (w) => [
    `every replica of ${partitionName(w)} to reach log start offset ${number(w.need)}`,
    has(w),
  ],
  share_records: (w) => [
    `records that group ${w.group} can acquire`,
    [
      w.acquired ? `${counted(w.acquired, "record")} acquired: ${some(w.locks.map(lock))}` : "",
      w.available ? `${counted(w.available, "record")} available` : "",
      w.full_window ? `no further record of ${w.full_window} may be in flight` : "",
      w.transaction ? `${offset(w)} ${heldBack(w)}` : "",
    ]
      .filter(Boolean)
      .join("; "),
  ],
  share_state: (w) => [`the acknowledgements of group ${w.group} to be stored`],
  members: (w) => [`the other members of group ${w.group}`],
  stored: (w) => [
    w.group ? `the records of group ${w.group} to be stored` : "its records to be stored",
  ],
  share_coordinator: (w) => [
    w.group ? `the share coordinators of group ${w.group}` : "share coordinators",
  ],
  share_session_limit: () => ["the delay of a refused share session"],
  failed_authentication: () => ["the delay after a failed login"],
  applied: (w) => [`node ${some(w.nodes.map(String))} to apply its change`],
  flush: () => ["its records to be flushed to disk"],
  transaction_coordinator: (w) => [`the coordinator of transactional id ${w.transactional_id}`],
  transaction_state: (w) => [
    `the record of transactional id ${w.transactional_id ?? "(several)"} to be replicated`,
  ],
  markers: (w) => [`markers in ${counted(w.need, "partition")}`, has(w)],
  fault: (w) => [`${rule(w)}, which ${EFFECTS[w.effect] ?? words(w.effect)}`],
  steps: () => ["its own work, which is done in steps"],
};

/** What a request waits for; generic for a kind that this page does not know. */
export function awaited(row) {
  const w = row.waited_for;
  if (!w) return "nothing";
  const unknown = () => [
    w.kind.replaceAll("_", " "),
    w.need === undefined ? "" : `needs ${number(w.need)}, ${has(w)}`,
  ];
  const [what, had] = (AWAITED[w.kind] ?? unknown)(w, row);
  return `${had ? `${what} (${had})` : what}${because(w)}`;
}

// The words of `antechamber explain` for fault rules that hold a request, and that delay others.
const EFFECTS = {
  delay_request: "delays it",
  delay_response: "delays its response",
  hang: "does not let it begin",
  hang_response: "does not send its response",
  half_open: "keeps its connection half-open",
  slow: "sends its response slowly",
};
const REASONS = {
  cut: "cuts a link",
  delay: "delays a link",
  loss: "loses messages of a link",
  hold_high_watermark: "holds the high watermark",
  hold_isr: "holds the in-sync replicas",
};

function rule(fault) {
  return `fault rule ${fault.rule}${fault.name ? ` (${fault.name})` : ""}`;
}

function words(name) {
  return name.replaceAll("_", " ");
}

function because(w) {
  const reasons = (w.faults ?? []).map(
    (each) => `${rule(each)} ${REASONS[each.action] ?? words(each.action)}`,
  );
  return reasons.length ? `, because ${reasons.join(" and ")}` : "";
}

function lock(each) {
  const left = durationMs(each.lock_expires_in_ms);
  const who = `member ${each.member} (delivery ${each.delivery_count}, ${left} left)`;
  return `${ofLock(each)} of ${partitionName(each)} by ${who}`;
}

function ofLock({ first_offset: first, last_offset: last }) {
  return first === last ? `${first}` : `${first}–${last}`;
}

function offset(w) {
  return `offset ${number(w.offset)} of ${partitionName(w)}`;
}

function heldBack({ transaction }) {
  const held = durationMs(transaction.held_ms);
  return `held back by the transaction of ${producer(transaction)} for ${held}`;
}

function has(w) {
  return `at ${number(w.had)}`;
}

function offsets(row) {
  return some(
    row.partitions.map((each) => `${partitionName(each)} at ${number(each.offset)}`),
    2,
  );
}

function behind(w, row) {
  const replicas = row.partitions.flatMap((each) => each.replicas ?? []);
  const late = replicas.filter((each) => each.behind && each.in_sync);
  const names = late.length ? late.map(replica) : w.behind.map((node) => `node ${node}`);
  return names.length ? `; behind: ${some(names)}` : "";
}

function replica({ node, state, log_end_offset: end }) {
  const name = state && state !== "running" ? `node ${node} (${state})` : `node ${node}`;
  return end === null || end < 0 ? name : `${name} at ${number(end)}`;
}

function producer(transaction) {
  return transaction.transactional_id ?? `producer id ${transaction.producer_id}`;
}

// How a wait ended, by the cause of its completion.
const COMPLETED = {
  arrival: () => "it had nothing to wait for",
  error: () => "it was refused",
  append: (by) => `${request(by)} appended to ${partitionName(by)}`,
  high_watermark: (by) => `${request(by)} advanced the high watermark of ${partitionName(by)}`,
  transaction: (by) =>
    `the ${by.transaction.outcome} of the transaction of ${producer(by.transaction)}`,
  leadership: () => "the leadership moved",
  deleted: () => "the topic was deleted",
  members: (by) =>
    by.request ? `${request(by)} changed the members of the group` : "the group changed",
  flush: () => "the disk has the records",
  applied: () => "the last node applied the change",
  coordinator: () => "the coordinator responded",
  acknowledgement: () => "records of the group were acknowledged",
  lock_expired: (by) =>
    by.lock
      ? `the lock of member ${by.lock.member} on ${ofLock(by.lock)} of ${partitionName(by)} expired`
      : "the lock on acquired records expired",
  share_session: () => "the session of a member ended",
  share_fetch: () => "another share fetch of the partition ended",
  rule_removed: () => "the fault rule was removed",
  timeout: (by, record) => `its timeout of ${durationMs(record.timeout_ms ?? 0)} expired`,
  disconnect: () => "its client disconnected",
  shutdown: () => "its node stopped",
};

function request(by) {
  if (!by.request) return "an event";
  const { api, correlation_id: correlation, client_id: client } = by.request;
  const owner =
    by.replica === null || by.replica === undefined ? clientName(client) : `node ${by.replica}`;
  return `${api} ${correlation} of ${owner}`;
}

const PHASES = [
  ["queued_us", "queued"],
  ["local_us", "in the handler"],
  ["parked_us", "parked"],
  ["send_us", "sending the response"],
];

/** What happened to a request that has ended, in sentences. */
export function explained(record) {
  const by = record.completed_by;
  const cause = (COMPLETED[by.cause] ?? (() => by.cause.replaceAll("_", " ")))(by, record);
  const spent = PHASES.filter(([name]) => record[name]).map(
    ([name, words]) => `${duration(record[name])} ${words}`,
  );
  const wait = record.purgatory
    ? `It was parked in the ${record.purgatory} purgatory for ${awaited(record)}, until ${cause}.`
    : `It was completed at once: ${cause}.`;
  const error = record.error ? ` Error code ${record.error}.` : "";
  const fault = record.fault
    ? ` F${rule(record.fault).slice(1)} fired on it: ${words(record.fault.action)}.`
    : "";
  const total = `${duration(record.total_us)} in total: ${spent.join(", ")}`;
  return `${requestName(record)}, version ${record.version}. ${wait}${error}${fault} ${total}.`;
}
