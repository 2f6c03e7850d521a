// Sends the requests of the buttons, and shows the reason if one is refused.

import { say, show } from "/page/dom.js";

const TOKEN = "antechamber-token";
const problem = document.getElementById("problem");

/** The headers with the token, if there is one. */
export function authorization() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Keep the token until the tab is closed. */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** Send a request that changes something; returns whether it was accepted. */
export async function act(method, path, body = undefined) {
  const headers = { ...authorization() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(path, { method, headers, body: sent });
    complain(response.ok ? "" : (await response.json()).error);
    return response.ok;
  } catch (error) {
    complain("The broker cannot be reached.");
    return false;
  }
}

function complain(text) {
  say(problem, text);
  show(problem, text !== "");
}
