// A timer's wheels as rows of buckets: the left end is now, and each row is coarser than the one
// above it. Tasks move to the left, and down to a finer wheel when their bucket's time begins.

import { el, keyed, say, show } from "/page/dom.js";
import { counted, durationMs, number } from "/page/format.js";

/** Returns a function that shows a state. */
export function makeWheel(section) {
  const head = el("tr", {}, el("th", { scope: "col" }, "Tasks"), el("td"));
  const table = el("table", { class: "timers" }, el("thead", {}, head), el("tbody"));
  const title = el("h3");
  const lead = el("p", { class: "lead" });
  const rows = el("ol", { class: "levels", "aria-label": "Wheels, the finest first" });
  section.append(table, title, lead, rows);
  let chosen = "";
  const choose = (timer) => {
    chosen = timer;
  };
  return (live) => {
    const timers = live.timers.rows;
    if (!timers.some((timer) => name(timer) === chosen)) chosen = first(timers);
    list(table, timers, chosen, choose);
    const timer = timers.find((each) => name(each) === chosen);
    show(rows, Boolean(timer?.levels));
    say(title, chosen);
    say(lead, timer ? described(timer, live.elapsedMs()) : "No node runs.");
    if (timer?.levels) draw(rows, timer, live.elapsedMs());
  };
}

function name(timer) {
  return `${timer.name}, node ${timer.node}`;
}

/** The Fetch timer of the first node, which most requests use. */
function first(timers) {
  const fetch = timers.find((timer) => timer.name === "Fetch");
  return timers.length ? name(fetch ?? timers[0]) : "";
}

/** A row for each name of a timer, with a button for each node that shows the number of tasks. */
function list(table, timers, chosen, choose) {
  const nodes = [...new Set(timers.map((timer) => timer.node))];
  keyed(
    table.tHead.rows[0].lastElementChild,
    nodes,
    (node) => node,
    (node) => el("span", {}, `node ${node}`),
    () => {},
  );
  const names = [...new Set(timers.map((timer) => timer.name))];
  keyed(
    table.tBodies[0],
    names,
    (each) => each,
    timerRow,
    (row, each) => {
      const cells = timers.filter((timer) => timer.name === each);
      const make = (timer) => cell(name(timer), choose);
      keyed(row.lastElementChild, cells, name, make, (made, timer) => {
        const isEmpty = timer.size === 0;
        made.classList.toggle("empty", isEmpty);
        made.setAttribute("aria-pressed", String(name(timer) === chosen));
        made.setAttribute("aria-label", `${name(timer)}: ${counted(timer.size, "task")}`);
        say(made, number(timer.size));
      });
    },
  );
}

function timerRow(each) {
  return el("tr", {}, el("th", { scope: "row" }, each), el("td"));
}

function cell(timer, choose) {
  return el("button", { type: "button", onclick: () => choose(timer) });
}

function described(timer, elapsedMs) {
  const tasks = timer.size ? `${counted(timer.size, "task")} waiting` : "no task waits";
  if (!timer.levels) return `${tasks}; too many to draw their buckets`;
  const next = timer.next_expiration_ms;
  const left =
    next === null
      ? ""
      : `, next bucket in ${durationMs(Math.max(0, next - timer.now_ms - elapsedMs))}`;
  return `${tasks}${left}; ${counted(timer.demotions, "move")} to a finer wheel so far`;
}

function draw(rows, timer, elapsedMs) {
  const nowMs = timer.now_ms + elapsedMs;
  keyed(
    rows,
    timer.levels,
    (level) => level.tick_ms,
    makeLevel,
    (item, level) => {
      const tasks = positions(level, nowMs);
      const cells = item.querySelector(".buckets").children;
      for (let index = 0; index < cells.length; index++) fillCell(cells[index], tasks.get(index));
    },
  );
}

function makeLevel(level) {
  const cells = Array.from({ length: level.wheel_size }, () => el("span"));
  const span = level.tick_ms * level.wheel_size;
  return el(
    "li",
    { class: "level" },
    el("p", {}, `${whole(level.tick_ms)} a bucket`, el("span", {}, `+${whole(span)}`)),
    el("div", { class: "buckets" }, ...cells),
  );
}

function whole(ms) {
  return durationMs(ms).replace(".0 ", " ");
}

/** The tasks by their distance from now, in buckets. */
function positions(level, nowMs) {
  const current = Math.floor(nowMs / level.tick_ms);
  const found = new Map();
  for (const { at_ms: atMs, tasks } of level.buckets) {
    const index = Math.min(
      Math.max(0, Math.floor(atMs / level.tick_ms) - current),
      level.wheel_size - 1,
    );
    const at = found.get(index) ?? {};
    for (const [kind, count] of Object.entries(tasks)) at[kind] = (at[kind] ?? 0) + count;
    found.set(index, at);
  }
  return found;
}

function fillCell(cell, tasks) {
  const count = tasks ? Object.values(tasks).reduce((sum, each) => sum + each, 0) : 0;
  say(cell, count === 0 ? "" : count > 999 ? "1k+" : String(count));
  cell.className = count ? "held" : "";
  if (!count) cell.removeAttribute("title");
  else
    cell.title = Object.entries(tasks)
      .map(([kind, each]) => `${number(each)} ${kind}`)
      .join(", ");
  cell.style.setProperty("--fill", count ? Math.min(1, 0.45 + Math.log10(count) / 4) : 0);
}
