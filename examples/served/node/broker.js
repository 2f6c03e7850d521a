// The admin interface of a broker that is served; copy this module into a project.

export class Broker {
  constructor(admin) {
    this.admin = admin;
  }

  // Sets a fault rule; returns it with its id.
  addFault(rule) {
    return this.call("POST", "/v1/faults", rule);
  }

  // Waits until a condition holds: wait({ for: "parked", api: "Produce", topic: "orders" }).
  wait(condition) {
    return this.call("GET", `/v1/wait?${new URLSearchParams({ timeout_ms: 30_000, ...condition })}`);
  }

  // Changes the clock or a node: change("clock/advance?ms=45000"), change("nodes/2/pause").
  change(what) {
    return this.call("POST", `/v1/${what}`);
  }

  async call(method, path, body) {
    const response = await fetch(this.admin + path, {
      method,
      headers: { "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const value = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.error}`);
    return value;
  }
}
