// Reads values from charts by pointer and keys, and switches the colour scheme. It sets text only.
"use strict";

function textAt(places, x, y) {
  if (!places.rows) return places.texts[x];
  const found = places.values.find(([column, row]) => column === x && row === y);
  return `${places.columns[x]}, ${places.rows[y]}: ${found ? found[2].toLocaleString("en") : 0} ${places.unit}`;
}

function readable(plot) {
  const places = JSON.parse(plot.dataset.places);
  const columns = places.rows ? places.columns.length : places.columns;
  const rows = places.rows ? places.rows.length : 1;
  const cursor = plot.querySelector(".cursor");
  const readout = plot.closest(".chart").querySelector(".readout");
  let at = null;
  const show = (x, y) => {
    at = [Math.min(Math.max(x, 0), columns - 1), Math.min(Math.max(y, 0), rows - 1)];
    cursor.hidden = false;
    cursor.style.left = `${(100 * at[0]) / columns}%`;
    cursor.style.width = `${100 / columns}%`;
    cursor.style.bottom = `${(100 * at[1]) / rows}%`;
    cursor.style.height = `${100 / rows}%`;
    readout.textContent = textAt(places, ...at);
  };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (box.bottom - event.clientY) / box.height;
    show(Math.floor(x * columns), Math.floor(y * rows));
  });
  plot.addEventListener("focus", () => at || show(0, 0));
  plot.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [x, y] = at || [0, 0];
    if (event.key === "Home") show(0, y);
    else if (event.key === "End") show(columns - 1, y);
    else if (steps[event.key]) show(x + steps[event.key][0], y + steps[event.key][1]);
    else return;
    event.preventDefault();
  });
}

function switchable(button) {
  const schemes = ["auto", "light", "dark"];
  const set = (scheme) => {
    document.documentElement.dataset.scheme = scheme;
    button.textContent = `Colours: ${scheme}`;
  };
  button.hidden = false;
  set("auto");
  button.addEventListener("click", () => {
    const now = schemes.indexOf(document.documentElement.dataset.scheme);
    set(schemes[(now + 1) % schemes.length]);
  });
}

document.querySelectorAll(".plot").forEach(readable);
switchable(document.getElementById("scheme"));
