// The requests that wait now: what each needs and has, and how much of its timeout is left.

import { el, keyed, say, show } from "/page/dom.js";
import { awaited, requestName } from "/page/explain.js";
import { duration, durationMs, number } from "/page/format.js";

/** Returns a function that shows a state. */
export function makeRequests(section) {
  const lead = el("p", { class: "lead" });
  const list = el("ol", { class: "requests" });
  const more = el("p", { class: "soft" });
  section.append(lead, list, more);
  return (live) => {
    const { count, rows } = live.requests;
    say(lead, rows.length ? byPurgatory(rows, count) : "No request of a client waits.");
    const elapsedMs = live.elapsedMs();
    keyed(list, rows, key, makeRequest, (item, row) => update(item, row, elapsedMs));
    show(more, count > rows.length);
    say(more, `and ${number(count - rows.length)} more`);
  };
}

function key(row) {
  return `${row.node}/${row.connection}/${row.correlation_id}/${row.arrived_us}`;
}

/** How many wait in each purgatory, of those that are shown. */
function byPurgatory(rows, count) {
  const counts = new Map();
  for (const { purgatory } of rows) {
    const place = purgatory ?? "in steps";
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const places = [...counts].map(([place, each]) => `${place} ${number(each)}`);
  return count > rows.length ? `${number(count)} wait.` : places.join(" · ");
}

function makeRequest() {
  return el(
    "li",
    { class: "request" },
    el("p", { class: "title" }, el("strong"), el("span", { class: "left" })),
    el("p", { class: "condition" }),
    el("div", { class: "timeout", "aria-hidden": "true" }, el("span")),
  );
}

function update(item, row, elapsedMs) {
  const waitedUs = row.parked_us + elapsedMs * 1000;
  const waited = `waited ${duration(waitedUs)}`;
  const hasLimit = row.remaining_ms !== null;
  const leftMs = hasLimit ? Math.max(0, row.remaining_ms - elapsedMs) : 0;
  say(item.querySelector("strong"), requestName(row));
  say(item.querySelector(".left"), hasLimit ? `${waited}, ${durationMs(leftMs)} left` : waited);
  const where = row.purgatory ? `in the ${row.purgatory} purgatory ` : "";
  say(item.querySelector(".condition"), `${where}for ${awaited(row)}`);
  const bar = item.querySelector(".timeout");
  bar.classList.toggle("unlimited", !hasLimit);
  const share = hasLimit && row.timeout_ms ? leftMs / row.timeout_ms : 0;
  bar.firstElementChild.style.width = `${Math.min(1, share) * 100}%`;
}
