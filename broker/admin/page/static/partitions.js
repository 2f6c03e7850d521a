// The partitions by topic: a bar for each replica, from the log start offset to the log end offset,
// with marks for the high watermark and the last stable offset.

import { el, keyed, say, show } from "/page/dom.js";
import { counted, number } from "/page/format.js";

/** Returns a function that shows a state. */
export function makePartitions(section) {
  const lead = el("span");
  const topics = el("div", { class: "topics" });
  const more = el("p", { class: "soft" });
  section.append(el("p", { class: "lead fields" }, lead, legend()), topics, more);
  return (live) => {
    const { count, rows } = live.partitions;
    say(lead, summary(rows, count));
    const byTopic = Map.groupBy ? Map.groupBy(rows, (row) => row.topic) : grouped(rows);
    keyed(
      topics,
      [...byTopic],
      ([name]) => name,
      makeTopic,
      (item, [name, partitions]) => {
        const late = partitions.filter((each) => each.isr.length < each.replicas.length).length;
        const words = counted(partitions.length, "partition");
        say(item.querySelector(".topic"), name);
        say(item.querySelector(".count"), late ? `${words}, ${late} not fully in sync` : words);
        keyed(
          item.querySelector("ul"),
          partitions,
          (each) => each.partition,
          makePartition,
          update,
        );
      },
    );
    show(more, count > rows.length);
    say(more, `and ${counted(count - rows.length, "partition")} more`);
  };
}

function legend() {
  const marks = [
    ["committed", "below the high watermark"],
    ["rest", "above it"],
    ["mark hw", "high watermark (HW)"],
    ["mark lso", "last stable offset (LSO)"],
  ];
  return el(
    "span",
    { class: "legend marks" },
    ...marks.map(([name, words]) => el("span", { class: name }, words)),
  );
}

function grouped(rows) {
  const found = new Map();
  for (const row of rows) found.set(row.topic, [...(found.get(row.topic) ?? []), row]);
  return found;
}

function summary(rows, count) {
  if (!count) return "There is no topic.";
  const late = rows.filter((each) => each.isr.length < each.replicas.length).length;
  const without = rows.filter((each) => each.leader < 0).length;
  const parts = [counted(count, "partition")];
  parts.push(late ? `${late} not fully in sync` : "all replicas in sync");
  if (without) parts.push(`${without} without a leader`);
  return parts.join(" · ");
}

function makeTopic([, partitions]) {
  const isOpen = !partitions[0].internal;
  return el(
    "details",
    { open: isOpen },
    el("summary", {}, el("span", { class: "topic" }), el("span", { class: "count soft" })),
    el("ul", { class: "partitions" }),
  );
}

function makePartition(row) {
  const title = el(
    "p",
    { class: "title" },
    el("b", {}, `Partition ${row.partition}`),
    el("span", { class: "soft" }),
  );
  return el("li", {}, title, el("ul", { class: "replicas" }));
}

function update(item, row) {
  const leader = row.leader < 0 ? "no leader" : `leader ${row.leader}, epoch ${row.leader_epoch}`;
  say(item.querySelector(".title .soft"), leader);
  const known = row.replicas.filter((each) => each.log_end_offset !== null);
  const from = Math.min(...known.map((each) => each.log_start_offset));
  const to = Math.max(...known.map((each) => each.log_end_offset));
  keyed(
    item.querySelector(".replicas"),
    row.replicas,
    (each) => each.node,
    makeReplica,
    (bar, each) => {
      updateReplica(bar, each, row, from, to);
    },
  );
}

function makeReplica() {
  const marks = ["fill", "committed", "lso", "hw"].map((name) => el("span", { class: name }));
  return el(
    "li",
    {},
    el("span", { class: "who" }),
    el("span", { class: "log", "aria-hidden": "true" }, ...marks),
    el("span", { class: "offsets" }),
  );
}

function updateReplica(item, each, row, from, to) {
  const state = replicaState(each, row);
  item.dataset.state = state;
  say(item.querySelector(".who"), `${each.node} ${state}`);
  const isKnown = each.log_end_offset !== null;
  say(item.querySelector(".offsets"), isKnown ? offsets(each) : "not running");
  const log = item.querySelector(".log");
  show(log, isKnown);
  if (!isKnown) return;
  const at = (offset) => `${to > from ? ((offset - from) / (to - from)) * 100 : 0}%`;
  const [fill, committed, lso, hw] = log.children;
  fill.style.left = committed.style.left = at(each.log_start_offset);
  fill.style.right = `calc(100% - ${at(each.log_end_offset)})`;
  committed.style.right = `calc(100% - ${at(each.high_watermark)})`;
  hw.style.left = at(each.high_watermark);
  lso.style.left = at(each.last_stable_offset);
  show(lso, each.last_stable_offset < each.high_watermark);
  item.title =
    `log start ${each.log_start_offset}, last stable ${each.last_stable_offset}, ` +
    `high watermark ${each.high_watermark}, log end ${each.log_end_offset}`;
}

function replicaState(each, row) {
  if (each.log_end_offset === null) return "down";
  if (each.node === row.leader) return "leader";
  return row.isr.includes(each.node) ? "in sync" : "lagging";
}

function offsets(each) {
  const stable =
    each.last_stable_offset < each.high_watermark ? ` LSO ${number(each.last_stable_offset)}` : "";
  return `HW ${number(each.high_watermark)}${stable} LEO ${number(each.log_end_offset)}`;
}
