// A consumer waits for a record; the record is produced when the broker reports the wait.

import { Kafka, logLevel } from "kafkajs";
import { startBroker } from "./broker.js";

const broker = await startBroker({ options: ["--topic", "orders"] });
const kafka = new Kafka({ brokers: [broker.bootstrap], logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: "billing", maxWaitTimeInMs: 10_000 });
const producer = kafka.producer();
try {
  await consumer.connect();
  await consumer.subscribe({ topic: "orders", fromBeginning: true });
  const consumed = new Promise((resolve) => {
    consumer.run({ eachMessage: async ({ message }) => resolve(message.value.toString()) });
  });
  await broker.waitParked("Fetch", "orders");
  await producer.connect();
  await producer.send({ topic: "orders", messages: [{ value: "one" }] });
  console.log(`consumed: ${await consumed}`);
} finally {
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  await broker.stop();
}
