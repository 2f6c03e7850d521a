// A broker of one node in a container, for Testcontainers.

import { randomUUID } from "node:crypto";
import { GenericContainer, Wait } from "testcontainers";

const CLIENTS_PORT = 9092, NETWORK_PORT = 19092, ADMIN_PORT = 9644;
const SCRIPT = "/tmp/start.sh", READY = "/tmp/ready.json", WAITING = "waiting for the script";
const WAIT_FOR_SCRIPT =
  `echo ${WAITING}; until [ -s ${SCRIPT} ]; do sleep 0.05; done; exec sh ${SCRIPT}`;
const WAIT_UNTIL_READY = `until [ -f ${READY} ]; do sleep 0.05; done`;

/** Starts a broker; `options` are options of `antechamber serve`. */
export async function startBroker({ options = [], network, alias = "broker" } = {}) {
  const token = randomUUID();
  const container = new GenericContainer("antechamber")
    .withExposedPorts(CLIENTS_PORT, ADMIN_PORT)
    .withEnvironment({ ANTECHAMBER_ADMIN_TOKEN: token })
    .withEntrypoint(["sh", "-c", WAIT_FOR_SCRIPT])
    .withWaitStrategy(Wait.forLogMessage(WAITING));
  if (network) container.withNetwork(network).withNetworkAliases(alias);
  const broker = new Broker(await container.start(), token, alias);
  await broker.serve(options);
  return broker;
}

class Broker {
  constructor(container, token, alias) {
    const host = container.getHost();
    this.container = container;
    this.token = token;
    /** The bootstrap servers for clients of the host. */
    this.bootstrap = `${host}:${container.getMappedPort(CLIENTS_PORT)}`;
    /** The bootstrap servers for other containers of its network. */
    this.networkBootstrap = `${alias}:${NETWORK_PORT}`;
    this.adminUrl = `http://${host}:${container.getMappedPort(ADMIN_PORT)}`;
  }

  async serve(options) {
    const content = [
      `exec antechamber serve --ready-file ${READY}`,
      "--admin-host 0.0.0.0 --admin-protocol http",
      `-c listeners=CLIENTS://:${CLIENTS_PORT},NETWORK://:${NETWORK_PORT}`,
      `-c advertised.listeners=CLIENTS://${this.bootstrap},NETWORK://${this.networkBootstrap}`,
      "-c listener.security.protocol.map=CLIENTS:PLAINTEXT,NETWORK:PLAINTEXT",
      "-c inter.broker.listener.name=NETWORK",
      ...options,
    ].join(" ");
    await this.container.copyContentToContainer([{ content, target: SCRIPT }]);
    await this.container.exec(["sh", "-c", WAIT_UNTIL_READY]);
  }

  /** Waits until a request of this API for the topic waits in the broker. */
  async waitParked(api, topic) {
    await this.admin("GET", `/v1/wait?for=parked&timeout_ms=60000&api=${api}&topic=${topic}`);
  }

  /** Returns the response of the admin interface; docs/reference/admin.md has its paths. */
  async admin(method, path) {
    const headers = { Authorization: `Bearer ${this.token}` };
    const response = await fetch(this.adminUrl + path, { method, headers });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  async stop() {
    await this.container.stop();
  }
}
