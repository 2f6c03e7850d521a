// What a producer does when its response is lost, and a consumer when nothing arrives.

import assert from "node:assert/strict";
import { Kafka, logLevel } from "kafkajs";
import { Broker } from "./broker.js";

const { BOOTSTRAP_SERVERS = "127.0.0.1:9092", ANTECHAMBER_ADMIN = "http://127.0.0.1:9644" } =
  process.env;
const broker = new Broker(ANTECHAMBER_ADMIN);
const kafka = new Kafka({ brokers: BOOTSTRAP_SERVERS.split(","), logLevel: logLevel.NOTHING });

// The number of records in a topic after one record was sent, whose first response was lost.
async function recordsAfterALostResponse(topic, settings) {
  const rule = await broker.addFault({
    match: { api: "Produce", topic },
    times: 1,
    action: { type: "close", when: "after" },
  });
  const producer = kafka.producer(settings);
  const admin = kafka.admin();
  await Promise.all([producer.connect(), admin.connect()]);
  await producer.send({ topic, messages: [{ value: "one" }] });
  await broker.wait({ for: "fault_fired", rule: rule.id });
  const [{ high }] = await admin.fetchTopicOffsets(topic);
  await Promise.all([producer.disconnect(), admin.disconnect()]);
  return Number(high);
}

async function aRetryIsStoredOnceByAnIdempotentProducer() {
  assert.equal(await recordsAfterALostResponse("orders", { idempotent: true }), 1);
  assert.equal(await recordsAfterALostResponse("payments", { idempotent: false }), 2);
  console.log("passed: a retry is stored once by an idempotent producer, else twice");
}

async function aFetchReturnsWithoutWaitingForIt() {
  const consumer = kafka.consumer({ groupId: "billing", maxWaitTimeInMs: 20_000 });
  const fetched = new Promise((resolve) => {
    consumer.on(consumer.events.FETCH, ({ payload }) => resolve(payload));
  });
  await consumer.connect();
  await consumer.subscribe({ topic: "deliveries" });
  await consumer.run({ eachMessage: async () => {} });
  await broker.wait({ for: "parked", api: "Fetch", topic: "deliveries" });
  await broker.change("clock/advance?to=parked&api=Fetch");
  const { numberOfBatches } = await fetched;
  assert.equal(numberOfBatches, 0);
  await consumer.disconnect();
  console.log("passed: a fetch returns without waiting for its 20 seconds");
}

await aRetryIsStoredOnceByAnIdempotentProducer();
await aFetchReturnsWithoutWaitingForIt();
