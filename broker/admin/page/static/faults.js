// The fault rules: what each matches and does, how often it fired, and a form for new ones.

import { act } from "/page/actions.js";
import { button, el, keyed, say, show } from "/page/dom.js";
import { number } from "/page/format.js";

// Of each action of the form, its label, and its parameter with a type, a default and a label.
const ACTIONS = {
  error: ["Respond with an error", "error", "text", "NOT_LEADER_OR_FOLLOWER", "Error"],
  close: ["Close the connection"],
  delay: ["Delay the response", "ms", "number", 300, "Delay in ms"],
  hang: ["Never respond"],
  half_open: ["Stop reading and sending"],
  slow: ["Send slowly", "bytes_per_second", "number", 10, "Bytes per second"],
  throttle: ["Throttle the client", "ms", "number", 1000, "Throttle time in ms"],
  corrupt: ["Corrupt a fetched batch"],
  stale_metadata: ["Respond with old metadata"],
  refuse_connections: ["Refuse connections"],
  cut: ["Cut a link between nodes"],
  link_delay: ["Delay a link between nodes", "ms", "number", 100, "Delay in ms"],
  loss: ["Lose messages of a link", "percent", "number", 10, "Percent"],
};
// Those of links, which have two ends, and no requests that match.
const OF_LINKS = new Set(["cut", "link_delay", "loss"]);
const APIS = [
  ..."Produce Fetch ListOffsets Metadata FindCoordinator OffsetCommit OffsetFetch".split(" "),
  ..."JoinGroup SyncGroup Heartbeat LeaveGroup ConsumerGroupHeartbeat".split(" "),
  ..."InitProducerId AddPartitionsToTxn EndTxn TxnOffsetCommit".split(" "),
];

/** Returns a function that shows a state. */
export function makeFaults(section) {
  const lead = el("p", { class: "lead" }, "No fault rule is set.");
  const list = el("ul", { class: "plain" });
  const more = el("p", { class: "soft" });
  const form = makeForm();
  section.append(lead, list, more, form);
  return (live) => {
    const { count, rows } = live.faults;
    show(lead, rows.length === 0);
    keyed(
      list,
      rows,
      (rule) => rule.id,
      makeRule,
      (item, rule) => {
        update(item, rule, live.hello.may_change);
      },
    );
    show(more, count > rows.length);
    say(more, `and ${number(count - rows.length)} more`);
    show(form, live.hello.may_change);
  };
}

function makeRule({ id }) {
  const remove = button("Remove", () => act("DELETE", `/v1/faults/${id}`), {
    "aria-label": `Remove fault rule ${id}`,
  });
  const facts = el("span", { class: "soft" });
  const title = el("span", {}, el("b"), " ", el("span", { class: "pill" }));
  return el("li", { class: "rule" }, title, facts, remove);
}

function update(item, rule, mayChange) {
  const state = item.querySelector(".pill");
  say(item.querySelector("b"), rule.name ? `${rule.id} ${rule.name}` : `Rule ${rule.id}`);
  say(state, rule.state);
  state.dataset.state = rule.state;
  const fired = `fired ${number(rule.fired)} of ${number(rule.matched)} matches`;
  say(item.querySelector(".soft"), `${pairs(rule.action)} · ${where(rule)} · ${fired}`);
  show(item.querySelector("button"), mayChange);
}

function where({ match, link }) {
  if (link) return `from ${link.from ?? "any node"} to ${link.to ?? "any node"}`;
  return Object.keys(match).length ? pairs(match) : "every request";
}

/** The values of an object, with the names of those that do not say what they are. */
function pairs(given) {
  const words = Object.entries(given).map(([name, value]) => {
    if (name === "error") return value;
    return name === "type" ? value.replaceAll("_", " ") : `${name.replaceAll("_", " ")} ${value}`;
  });
  return words.join(", ");
}

function makeForm() {
  const api = field("API", { name: "api", list: "apis", placeholder: "any", autocomplete: "off" });
  const client = field("Client id", { name: "client", placeholder: "any" });
  const topic = field("Topic", { name: "topic", placeholder: "any" });
  const from = field("From node", { name: "from", placeholder: "any, or controller" });
  const to = field("To node", { name: "to", placeholder: "any, or controller" });
  const options = Object.entries(ACTIONS).map(([type, [label]]) =>
    el("option", { value: type }, label),
  );
  const type = el("select", { name: "type" }, ...options);
  const value = field("Error", { name: "value" });
  const times = field("Times", { name: "times", type: "number", min: 1, placeholder: "no limit" });
  const apis = el("datalist", { id: "apis" }, ...APIS.map((each) => el("option", { value: each })));
  const action = el("label", {}, "Action", type);
  const submit = el("button", { type: "submit" }, "Set rule");
  const form = el(
    "form",
    { class: "rule-form", "aria-label": "New fault rule" },
    action,
    value,
    api,
    client,
    topic,
    from,
    to,
    times,
    submit,
    apis,
  );
  const adapt = () => {
    fitValue(value, ACTIONS[type.value]);
    const isOfLink = OF_LINKS.has(type.value);
    for (const each of [api, client, topic]) show(each, !isOfLink);
    for (const each of [from, to]) show(each, isOfLink);
  };
  type.addEventListener("change", adapt);
  adapt();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act("POST", "/v1/faults", ruleOf(new FormData(form)));
  });
  return form;
}

function field(label, given) {
  return el("label", {}, el("span", {}, label), el("input", given));
}

/** Make the field of the action's parameter that of another action. */
function fitValue(label, [, name, type, preset, text]) {
  show(label, name !== undefined);
  const input = label.querySelector("input");
  input.required = name !== undefined;
  if (name === undefined) return;
  say(label.firstElementChild, text);
  input.type = type;
  input.value = preset;
}

function ruleOf(given) {
  const chosen = given.get("type");
  const [, name, type] = ACTIONS[chosen];
  const action = { type: chosen === "link_delay" ? "delay" : chosen };
  if (name)
    action[name] = type === "number" ? Number(given.get("value")) : given.get("value").trim();
  const times = given.get("times") ? { times: Number(given.get("times")) } : {};
  if (OF_LINKS.has(chosen)) {
    return { link: filled(given, ["from", "to"], nodeOf), action, ...times };
  }
  if (action.type === "delay") action.of = "response";
  return { match: filled(given, ["api", "client", "topic"], (text) => text), action, ...times };
}

/** The fields that are not empty, each read by a function. */
function filled(given, names, read) {
  const texts = names.map((name) => [name, given.get(name).trim()]).filter(([, text]) => text);
  return Object.fromEntries(texts.map(([name, text]) => [name, read(text)]));
}

/** The id of a node; another text, such as controller, as it is. */
function nodeOf(text) {
  return /^\d+$/.test(text) ? Number(text) : text;
}
