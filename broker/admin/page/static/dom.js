// Makes and updates elements. All text is set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties and attributes; children are elements and strings. */
export function el(tag, given = {}, ...children) {
  return fill(document.createElement(tag), given, children);
}

/** The same for an element of an SVG. */
export function svg(tag, given = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), given, children);
}

function fill(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set the text of an element, if it differs. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Show or hide an element. */
export function show(element, visible) {
  element.hidden = !visible;
}

/**
 * Make the children of a container those of a list: elements with the same key are kept, so that
 * focus and selection survive. `make(item)` returns an element, `update(element, item)` fills it.
 */
export function keyed(container, items, key, make, update) {
  const before = new Map([...container.children].map((child) => [child.dataset.key, child]));
  let place = container.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = before.get(name);
    before.delete(name);
    if (!child) {
      child = make(item);
      child.dataset.key = name;
    }
    update(child, item);
    if (child === place) place = place.nextElementSibling;
    else container.insertBefore(child, place);
  }
  for (const child of before.values()) child.remove();
}

/** A button that calls a function; while its promise is pending, it ignores clicks. */
export function button(text, action, given = {}) {
  const made = el("button", { type: "button", ...given }, text);
  made.addEventListener("click", async () => {
    if (made.ariaDisabled) return;
    made.ariaDisabled = "true";
    try {
      await action();
    } finally {
      made.ariaDisabled = null;
    }
  });
  return made;
}

/** Show those buttons of a group that `isVisible` selects; the focus stays in the group. */
export function showButtons(group, isVisible) {
  const before = document.activeElement;
  const buttons = [...group.querySelectorAll("button")];
  for (const each of buttons) show(each, isVisible(each));
  if (group.contains(before) && before.hidden) buttons.find((each) => !each.hidden)?.focus();
}
