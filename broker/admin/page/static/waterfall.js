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
    "Requests are not recorded: serve with ",
    code("--record"),
  );
  const detail = el("p", { class: "detail", role: "status" }, HINT);
  const list = el("ol", {
    class: "waterfall",
    "aria-label": "Recent requests, the last one first",
  });
  const axis = el("div", { class: "axis", "aria-hidden": "true" }, el("span"), el("span"));
  const filter = makeFilter();
  const hold = makeHold(list);
  const fields = el("p", { class: "fields" }, ...filter.fields, hold.button, legend());
  const body = el("div", {}, fields, detail, axis, list);
  section.append(off, body);
  list.addEventListener("keydown", moveFocus);

  return (live) => {
    const records = hold.shown(live.records);
    show(off, live.records.count === null);
    show(body, live.records.count !== null);
    filter.offer(records.rows);
    const rows = within(records.rows.filter(filter.selects));
    const [from, to] = range(rows);
    say(axis.firstElementChild, rows.length ? `${duration(to - from)} ago` : "");
    say(axis.lastElementChild, rows.length ? "end of the last request" : "no request");
    const make = (row) => makeRow(row, detail);
    keyed(list, rows, key, make, (item, row) => place(item, row, from, to));
    leaveOneInTabOrder(list);
  };
}

function code(text) {
  return el("code", {}, text);
}

/** Fields that select requests by API and client id. */
function makeFilter() {
  const api = el("select", { "aria-label": "API" }, el("option", { value: "" }, "all APIs"));
  const client = el("input", {
    type: "search",
    placeholder: "client id",
    "aria-label": "Client id",
  });
  const selects = (row) =>
    (!api.value || row.api === api.value) && (row.client_id ?? "").includes(client.value.trim());
  const offer = (rows) => {
    const known = new Set([...api.options].map((each) => each.value));
    for (const name of new Set(rows.map((row) => row.api))) {
      if (!known.has(name)) api.append(el("option", { value: name }, name));
    }
  };
  return { fields: [api, client], selects, offer };
}

/** A list does not change while it is held by a button, or while it has the pointer or focus. */
function makeHold(list) {
  let records = null;
  let isPressed = false;
  const hold = button("Hold", () => {
    isPressed = !isPressed;
    say(hold, isPressed ? "Continue" : "Hold");
    hold.setAttribute("aria-pressed", String(isPressed));
  });
  hold.title = "Keep the list as it is. It is kept as well while you point at it";
  hold.setAttribute("aria-pressed", "false");
  const shown = (latest) => {
    const isHeld = isPressed || list.matches(":hover, :focus-within");
    if (records === null || !isHeld) records = latest;
    return records;
  };
  return { button: hold, shown };
}

/** Move the focus to the row above or below. */
function moveFocus(event) {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const next = step && event.target.closest("li")?.[step];
  if (!next) return;
  event.preventDefault();
  next.firstElementChild.focus();
}

/** The tab key reaches one row of the list; the arrow keys reach the others. */
function leaveOneInTabOrder(list) {
  const rows = [...list.querySelectorAll("button")];
  const one = rows.includes(document.activeElement) ? document.activeElement : rows[0];
  for (const row of rows) row.tabIndex = row === one ? 0 : -1;
}

function legend() {
  return el(
    "span",
    { class: "legend" },
    ...PHASES.map((phase) => el("span", { class: phase }, LABELS[phase])),
  );
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
