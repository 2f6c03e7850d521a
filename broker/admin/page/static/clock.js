// The broker's clock: its time, its state, and buttons that freeze and advance it.

import { act } from "/page/actions.js";
import { button, el, say, show, showButtons } from "/page/dom.js";
import { day, durationMs, timeOfDay } from "/page/format.js";

/** Returns a function that shows a state. */
export function makeClock(section) {
  const time = el("span", { class: "time" });
  const date = el("span", { class: "soft" });
  const state = el("span", { class: "pill" });
  const next = el("span", { class: "soft next" });
  const freeze = button("Freeze", () => act("POST", "/v1/clock/freeze"));
  const run = button("Run", () => act("POST", "/v1/clock/run"));
  const buttons = el(
    "div",
    { class: "buttons", role: "group", "aria-label": "Clock" },
    freeze,
    run,
    button("+10 s", () => act("POST", "/v1/clock/advance?ms=10000&limit=1"), {
      title: "Advance the clock by 10 seconds",
    }),
    button("Next timer", () => act("POST", "/v1/clock/advance?to=timer&limit=1"), {
      title: "Advance the clock to the next task of any timer",
    }),
  );
  section.append(el("div", { class: "face" }, time, date, state), next, buttons);

  return (live) => {
    const { state: name, speed, now_us: nowUs, next: following } = live.clock.rows[0];
    const now = nowUs + live.elapsedMs() * 1000;
    say(time, timeOfDay(now));
    say(date, `${day(now)} UTC`);
    const faster = name === "running" && speed !== 1;
    say(state, faster ? `${speed} × real time` : name);
    state.dataset.state = name;
    say(next, following ? nextTimer(following, live.elapsedMs()) : "no timer is waiting");
    show(buttons, live.hello.may_change);
    const isHidden = new Map([
      [freeze, name !== "running"],
      [run, name === "running" && !faster],
    ]);
    showButtons(buttons, (each) => !isHidden.get(each));
  };
}

function nextTimer({ in_ms: inMs, node, timer }, elapsedMs) {
  const owner = node === null ? "the cluster" : `node ${node}`;
  const left = inMs - elapsedMs;
  return `next: ${timer} timer of ${owner} ${left > 0 ? `in ${durationMs(left)}` : "now"}`;
}
