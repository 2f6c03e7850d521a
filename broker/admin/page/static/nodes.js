// The nodes, with buttons that pause, resume, stop and start them.

import { act } from "/page/actions.js";
import { button, el, keyed, say, show, showButtons } from "/page/dom.js";
import { counted } from "/page/format.js";

// The actions that each state allows, and their labels.
const ACTIONS = { pause: "Pause", resume: "Resume", stop: "Stop", start: "Start" };
const ALLOWED = { running: ["pause", "stop"], paused: ["resume", "stop"], stopped: ["start"] };

/** Returns a function that shows a state. */
export function makeNodes(section) {
  const list = el("ul", { class: "nodes" });
  section.append(list);
  return (live) => {
    const leads = leaders(live.partitions.rows);
    keyed(
      list,
      live.nodes.rows,
      (node) => node.id,
      makeNode,
      (item, node) => {
        update(item, node, leads.get(node.id) ?? 0, live.hello.may_change);
      },
    );
  };
}

function leaders(partitions) {
  const leads = new Map();
  for (const { leader } of partitions) leads.set(leader, (leads.get(leader) ?? 0) + 1);
  return leads;
}

function makeNode({ id }) {
  const buttons = Object.entries(ACTIONS).map(([action, label]) =>
    button(label, () => act("POST", `/v1/nodes/${id}/${action}`), {
      "data-action": action,
      "aria-label": `${label} node ${id}`,
    }),
  );
  return el(
    "li",
    { class: "node" },
    el("div", { class: "title" }, el("h3", {}, `Node ${id}`), el("span", { class: "pill" })),
    el("p", { class: "soft facts" }),
    el("div", { class: "buttons" }, ...buttons),
  );
}

function update(item, node, leads, mayChange) {
  const state = item.querySelector(".pill");
  say(state, node.state);
  state.dataset.state = node.state;
  const facts = [`${node.host}:${node.port}`];
  if (node.connections !== null) {
    facts.push(counted(node.connections, "connection"), `leads ${counted(leads, "partition")}`);
  }
  if (node.failure) facts.push(node.failure);
  say(item.querySelector(".facts"), facts.join(" · "));
  const group = item.querySelector(".buttons");
  show(group, mayChange);
  showButtons(group, (each) => ALLOWED[node.state].includes(each.dataset.action));
}
