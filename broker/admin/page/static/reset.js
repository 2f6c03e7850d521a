// A button that resets the broker, after a second press.

import { act } from "/page/actions.js";
import { button, say, show } from "/page/dom.js";

const CONFIRM_MS = 5000;
const LABEL = "Reset";

/** Returns a function that shows a state. */
export function makeReset(section) {
  let isConfirmed = false;
  const forget = () => {
    isConfirmed = false;
    say(reset, LABEL);
  };
  const reset = button(LABEL, async () => {
    if (isConfirmed) {
      forget();
      await act("POST", "/v1/reset");
      return;
    }
    isConfirmed = true;
    say(reset, "Remove everything?");
    setTimeout(forget, CONFIRM_MS);
  });
  reset.title = "Remove topics, groups, transactions, fault rules and waiting requests";
  section.append(reset);
  return (live) => show(reset, live.hello.may_change);
}
