// The latest requests as bars on a common time axis, divided into their phases.

import { button, el, keyed, say, show } from "/page/dom.js";
import { explained } from "/page/explain.js";
import { clientName, duration } from "/page/format.js";

const PHASES = ["queued", "local", "parked", "send"];
const LABELS = { queued: "queued", local: "handled", parked: "parked", send: "sent" };
const WINDOW_US = 10e6;
const HINT = "Point at a request, or focus it, to see why it took this long.";

/** Returns a function that shows a state. */
export function makeWaterfall(section) {
  const off = el(
    "p",
    { class: "lead" },
    "Completed requests are not recorded. Serve with ",
    el("code", {}, "--record"),
    " to see them.",
  );
  const detail = el("p", { class: "detail", role: "status" }, HINT);
  const list = el("ol", {
    class: "waterfall",
    "aria-label": "Recent requests, the last one first",
  });
  const axis = el("div", { class: "axis", "aria-hidden": "true" }, el("span"), el("span"));
  const api = el("select", { "aria-label": "API" }, el("option", { value: "" }, "all APIs"));
  const client = el("input", {
    type: "search",
    placeholder: "client id",
    "aria-label": "Client id",
  });
  let held = null;
  const hold = button(
    "Hold",
    () => {
      held = held ? null : latest;
      say(hold, held ? "Continue" : "Hold");
      hold.setAttribute("aria-pressed", String(Boolean(held)));
    },
    { "aria-pressed": "false", title: "Do not add requests to the list" },
  );
  const body = el(
    "div",
    {},
    el("p", { class: "fields" }, api, client, hold, legend()),
    detail,
    axis,
    list,
  );
  section.append(off, body);
  let latest = null;

  return (live) => {
    latest = live.records;
    const records = held ?? latest;
    show(off, records.count === null);
    show(body, records.count !== null);
    if (records.count === null) return;
    offer(api, records.rows);
    const rows = within(records.rows.filter((each) => selected(each, api.value, client.value)));
    const [from, to] = range(rows);
    say(axis.firstElementChild, rows.length ? `${duration(to - from)} ago` : "");
    say(axis.lastElementChild, rows.length ? "end of the last request" : "no request");
    keyed(
      list,
      rows,
      key,
      (row) => makeRow(row, detail),
      (item, row) => place(item, row, from, to),
    );
  };
}

function legend() {
  return el(
    "span",
    { class: "legend" },
    ...PHASES.map((phase) => el("span", { class: phase }, LABELS[phase])),
  );
}

/** Add the APIs that are not in the list yet. */
function offer(select, rows) {
  const known = new Set([...select.options].map((each) => each.value));
  for (const name of new Set(rows.map((row) => row.api))) {
    if (!known.has(name)) select.append(el("option", { value: name }, name));
  }
}

function selected(row, api, client) {
  return (!api || row.api === api) && (row.client_id ?? "").includes(client.trim());
}

function key(row) {
  return `${row.node}/${row.connection}/${row.correlation_id}/${row.arrived_us}`;
}

/** The rows whose end is at most ten seconds before that of the last one. */
function within(rows) {
  const [, to] = range(rows);
  return rows.filter((row) => end(row) >= to - WINDOW_US);
}

function end(row) {
  return row.arrived_us + row.total_us;
}

function range(rows) {
  const to = Math.max(...rows.map(end));
  const from = Math.min(...rows.map((row) => row.arrived_us));
  return [Math.max(from, to - 2 * WINDOW_US), to];
}

function makeRow(row, detail) {
  const bar = el("span", { class: "bar" }, ...PHASES.map((phase) => el("span", { class: phase })));
  const name = el("span", { class: "name" }, el("b", {}, row.api), ` ${clientName(row.client_id)}`);
  const made = el(
    "button",
    { type: "button", class: "row" },
    name,
    el("span", { class: "track" }, bar),
    el("span", { class: "total" }, duration(row.total_us)),
  );
  const tell = () => say(detail, explained(row));
  for (const event of ["focus", "mouseenter", "click"]) made.addEventListener(event, tell);
  return el("li", {}, made);
}

function place(item, row, from, to) {
  const width = Math.max(1, to - from);
  const bar = item.querySelector(".bar");
  const start = Math.max(row.arrived_us, from);
  const percent = (us) => `${(us / width) * 100}%`;
  bar.style.left = `min(${percent(start - from)}, 100% - 3px)`;
  bar.style.width = `max(3px, ${percent(end(row) - start)})`;
  PHASES.forEach((phase, index) => {
    bar.children[index].style.flexGrow = row[`${phase}_us`];
  });
}
