// Consumer groups, and open transactions.

import { el, keyed, say, show } from "/page/dom.js";
import { counted, durationMs, number, partitionName, some } from "/page/format.js";

/** Returns a function that shows the groups of a state. */
export function makeGroups(section) {
  return makeList(
    section,
    "There is no group.",
    (live) => live.groups,
    (row) => row.group,
    (row) => [row.group, `${row.state} · ${counted(row.members, "member")}`],
  );
}

/** Returns a function that shows the open transactions of a state. */
export function makeTransactions(section) {
  const key = (row) =>
    `${row.node}/${row.transactional_id}/${row.producer_id}/${row.producer_epoch}`;
  return makeList(
    section,
    "No transaction is open.",
    (live) => live.transactions,
    key,
    (row, elapsedMs) => [
      row.transactional_id,
      `${row.state} for ${durationMs(row.age_ms + elapsedMs)} of ${durationMs(row.timeout_ms)} · ` +
        some(row.partitions.map(partitionName)),
    ],
  );
}

function makeList(section, none, part, key, words) {
  const lead = el("p", { class: "lead" });
  const list = el("ul", { class: "plain" });
  const more = el("p", { class: "soft" });
  section.append(lead, list, more);
  return (live) => {
    const { count, rows } = part(live);
    show(lead, rows.length === 0);
    say(lead, none);
    keyed(
      list,
      rows,
      key,
      () => el("li", {}, el("b"), el("span", { class: "soft" })),
      (item, row) => {
        const [title, facts] = words(row, live.elapsedMs());
        say(item.firstElementChild, title);
        say(item.lastElementChild, facts);
      },
    );
    show(more, count > rows.length);
    say(more, `and ${number(count - rows.length)} more`);
  };
}
