// Connects the stream of events with the parts of the page.

import { authorization, keepToken } from "/page/actions.js";
import { makeClock } from "/page/clock.js";
import { say, show } from "/page/dom.js";
import { makeFaults } from "/page/faults.js";
import { makeGroups, makeTransactions } from "/page/groups.js";
import { makeNodes } from "/page/nodes.js";
import { makePartitions } from "/page/partitions.js";
import { makeRequests } from "/page/requests.js";
import { makeReset } from "/page/reset.js";
import { makeSharePartitions } from "/page/share.js";
import { receive } from "/page/stream.js";
import { makeWaterfall } from "/page/waterfall.js";
import { makeWheel } from "/page/wheel.js";

// Times are counted on between two states.
const TICK_MS = 250;
// They are hidden before the first state, and cannot be used while there is no connection.
const SHOWN_WITH_STATE = ["clock", "main"];

const find = (id) => document.getElementById(id);
const views = [
  makeClock(find("clock")),
  makeReset(find("reset")),
  makeNodes(find("nodes")),
  makeRequests(find("requests")),
  makeWheel(find("wheel")),
  makeWaterfall(find("records")),
  makePartitions(find("partitions")),
  makeFaults(find("faults")),
  makeSharePartitions(find("shares")),
  makeGroups(find("groups")),
  makeTransactions(find("transactions")),
];

// The parts of the latest state, by the names of their events.
const live = { hello: { may_change: false }, elapsedMs };
let receivedAt = performance.now();
let isLive = false;

/** How far the broker's clock has moved since the latest state. */
function elapsedMs() {
  return isLive ? (performance.now() - receivedAt) * live.clock.rows[0].speed : 0;
}

function draw() {
  for (const view of views) view(live);
}

function onEvent(name, value) {
  live[name] = value;
  if (name !== "state") return;
  receivedAt = performance.now();
  isLive = true;
  for (const id of SHOWN_WITH_STATE) show(find(id), true);
  draw();
}

function onState(state, detail) {
  isLive = isLive && state === "live";
  const words = { live: "live", connecting: "connecting", token: "needs a token" };
  say(find("connection"), words[state] ?? `disconnected: ${detail}`);
  find("connection").dataset.state = state;
  if (state === "connecting") return; // whether it succeeds is not known yet
  const isStale = state !== "live";
  document.body.classList.toggle("stale", isStale);
  for (const id of SHOWN_WITH_STATE) find(id).inert = isStale;
  show(find("token"), state === "token");
  if (state === "token") find("token-text").focus();
}

function onToken() {
  return new Promise((resolve) => {
    find("token").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        keepToken(find("token-text").value);
        find("token-text").value = "";
        resolve();
      },
      { once: true },
    );
  });
}

setInterval(() => isLive && draw(), TICK_MS);
receive({ event: onEvent, state: onState, token: onToken }, authorization);
