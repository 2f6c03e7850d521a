// Loads the scripts of the page, and the whole page again when one of them does not arrive: a
// browser drops its requests when a network interface changes, as when a container starts.

const RETRY_MS = 1000;

import("/page/main.js").catch((error) => {
  const connection = document.getElementById("connection");
  connection.textContent = `not loaded: ${error.message}; next attempt in ${RETRY_MS / 1000} s`;
  connection.dataset.state = "waiting";
  setTimeout(() => location.reload(), RETRY_MS);
});
