// Share partitions: the window of records in flight, and the locks on acquired records.

import { el, keyed, say, show } from "/page/dom.js";
import { counted, durationMs, number, partitionName, some } from "/page/format.js";

// Of one share partition; those whose locks expire first.
const LOCKS_MAX = 6;

/** Returns a function that shows a state. */
export function makeSharePartitions(section) {
  const lead = el("p", { class: "lead" });
  const legend = el("p", { class: "legend" });
  for (const state of ["acquired", "available", "acknowledged", "archived"]) {
    legend.append(el("span", { class: state }, state));
  }
  const list = el("ul", { class: "shares" });
  const more = el("p", { class: "soft" });
  section.append(lead, legend, list, more);
  return (live) => {
    const { count, rows } = live.share_partitions;
    show(lead, rows.length === 0);
    show(legend, rows.length > 0);
    say(lead, "No share group has a partition.");
    const elapsedMs = live.elapsedMs();
    keyed(list, rows, key, makeShare, (item, row) => update(item, row, elapsedMs));
    show(more, count > rows.length);
    say(more, `and ${number(count - rows.length)} more`);
  };
}

function key(row) {
  return `${row.group}/${partitionName(row)}`;
}

function makeShare() {
  return el(
    "li",
    {},
    el("p", { class: "title" }, el("b"), el("span", { class: "soft" })),
    el("div", { class: "window", role: "img" }),
    el("ul", { class: "locks" }),
    el("p", { class: "soft" }),
  );
}

function update(item, row, elapsedMs) {
  const [title, bar, locks, members] = item.children;
  say(title.firstElementChild, `${row.group}: ${partitionName(row)}`);
  say(title.lastElementChild, progress(row));
  bar.ariaLabel = counts(row);
  show(bar, row.batches.length > 0);
  keyed(bar, parts(row), (part) => part.first, () => el("span"), fillPart);
  const held = row.batches.filter((each) => each.lock_expires_in_ms !== null);
  held.sort((one, other) => one.lock_expires_in_ms - other.lock_expires_in_ms);
  keyed(locks, held.slice(0, LOCKS_MAX), (each) => each.first_offset, makeLock, (lock, each) =>
    updateLock(lock, row, each, elapsedMs),
  );
  say(members, `${counts(row)} · ${fetchedBy(row)}`);
}

function progress(row) {
  if (row.state === "invalid") return "its stored state cannot be used";
  if (row.start_offset === null) {
    return row.state === "loading" ? "its state is being read" : "no member has fetched it";
  }
  const end = row.high_watermark === null ? "no leader" : `high watermark ${row.high_watermark}`;
  const lag = row.lag === null ? "" : ` · lag ${number(row.lag)}`;
  return `start offset ${row.start_offset} · ${end}${lag}`;
}

function counts(row) {
  const most = row.in_flight_max === null ? "" : ` of ${number(row.in_flight_max)}`;
  const states = `${number(row.acquired)} acquired, ${number(row.available)} available`;
  return `${states}, ${number(row.in_flight)}${most} in flight`;
}

function fetchedBy(row) {
  if (row.state === "stored") return "stored, no member has a session";
  const names = row.members.map((each) => each.client_id ?? each.member);
  return names.length ? `fetched by ${some(names)}` : "no member fetches it";
}

/** The batches of the bar, and how many batches it does not have. */
function parts(row) {
  const shown = row.batches.map((each) => ({
    first: each.first_offset,
    length: each.last_offset - each.first_offset + 1,
    state: each.state,
    words: `${offsets(each)} ${each.state}, delivery ${each.delivery_count}`,
  }));
  const more = row.batch_count - row.batches.length;
  if (more > 0) {
    const last = row.batches.at(-1).last_offset;
    const length = Math.max(1, row.end_offset - last);
    shown.push({ first: "more", length, state: "", words: `${number(more)} more batches` });
  }
  return shown;
}

function fillPart(element, part) {
  element.className = part.state;
  element.title = part.words;
  element.style.flexGrow = part.length;
}

function makeLock() {
  return el(
    "li",
    {},
    el("span"),
    el("span", { class: "left" }),
    el("div", { class: "timeout", "aria-hidden": "true" }, el("span")),
  );
}

function updateLock(item, row, each, elapsedMs) {
  const leftMs = Math.max(0, each.lock_expires_in_ms - elapsedMs);
  const member = row.members.find((known) => known.member === each.member);
  const who = member?.client_id ? `${member.client_id} (${each.member})` : each.member;
  const length = counted(each.last_offset - each.first_offset + 1, "record");
  const limit = row.delivery_count_limit === null ? "" : ` of ${row.delivery_count_limit}`;
  const storing = each.is_being_stored ? ", being stored" : "";
  say(
    item.children[0],
    `${offsets(each)}: ${length} of ${who}, delivery ${each.delivery_count}${limit}${storing}`,
  );
  say(item.children[1], `lock expires in ${durationMs(leftMs)}`);
  const share = row.lock_duration_ms ? leftMs / row.lock_duration_ms : 0;
  item.children[2].firstElementChild.style.width = `${Math.min(1, share) * 100}%`;
}

function offsets(each) {
  const { first_offset: first, last_offset: last } = each;
  return first === last ? `${first}` : `${first}–${last}`;
}
