// Receives the events of the broker, and connects again when the connection ends. `EventSource`
// cannot send a header with a token, and a token must not be a part of a URL.

const RETRY_MS = [500, 1000, 2000, 5000];

/**
 * Receive events for ever. `on.event(name, value)` gets each one; `on.state(state, detail)` gets
 * "connecting", "live", "waiting" (with the reason) or "token" (with the reason), after which the
 * promise of `on.token()` is awaited. `authorization()` returns the headers.
 */
export async function receive(on, authorization) {
  for (let failures = 0; ; failures++) {
    let reason = "the broker has closed the connection";
    on.state("connecting", "");
    try {
      const response = await fetch("/v1/events", { headers: authorization(), cache: "no-store" });
      if (response.ok) {
        on.state("live", "");
        failures = 0;
        await read(response.body, on.event);
      } else {
        reason = (await response.json()).error;
        if (response.status === 401) {
          on.state("token", reason);
          await on.token();
          continue;
        }
      }
    } catch (error) {
      reason = "the broker cannot be reached";
    }
    const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
    on.state("waiting", `${reason}; next attempt in ${pause / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function read(body, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) parse(event, onEvent);
  }
}

function parse(event, onEvent) {
  const [name, data] = event.split("\n", 2);
  onEvent(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
}
