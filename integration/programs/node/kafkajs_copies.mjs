// KafkaJS: copies numbers to another topic, each in a transaction with its offset.
import { Kafka, logLevel } from "kafkajs";

const NUMBERS = 20;
const kafka = new Kafka({ brokers: [process.argv[2]], logLevel: logLevel.ERROR });
const [admin, producer] = [kafka.admin(), kafka.producer()];
const copier = kafka.producer({ transactionalId: "copier", maxInFlightRequests: 1 });
const source = kafka.consumer({ groupId: "copies" });
const sink = kafka.consumer({ groupId: "sums" });
const clients = [admin, producer, copier, source, sink];
for (const client of clients) await client.connect();

const topics = ["numbers", "copied"].map((topic) => ({ topic, numPartitions: 2 }));
await admin.createTopics({ topics });
for (let number = 0; number < NUMBERS; number++) {
  await producer.send({ topic: "numbers", messages: [{ key: `${number}`, value: `${number}` }] });
}

/** Copy a message, and commit its offset in the same transaction. */
async function copy({ topic, partition, message }) {
  const transaction = await copier.transaction();
  await transaction.send({ topic: "copied", messages: [message] });
  const offset = `${Number(message.offset) + 1}`;
  const committed = [{ topic, partitions: [{ partition, offset }] }];
  await transaction.sendOffsets({ consumerGroupId: "copies", topics: committed });
  await transaction.commit();
}
await source.subscribe({ topic: "numbers", fromBeginning: true });
await source.run({ autoCommit: false, eachMessage: copy });

let [count, sum] = [0, 0];
await sink.subscribe({ topic: "copied", fromBeginning: true });
await new Promise((resolve) =>
  sink.run({
    eachMessage: async ({ message }) => {
      sum += Number(message.value);
      if (++count === NUMBERS) resolve();
    },
  }),
);
await Promise.all([source.disconnect(), sink.disconnect()]);

// A transaction ends before its marker commits its offset.
let committed;
do {
  const [offsets] = await admin.fetchOffsets({ groupId: "copies", topics: ["numbers"] });
  committed = offsets.partitions.reduce((total, each) => total + Number(each.offset), 0);
} while (committed < NUMBERS);
console.log(sum, committed);
for (const client of clients) await client.disconnect();
