// @platformatic/kafka: members of a group of KIP-848's protocol read numbers and commit them.
import {
  Admin,
  Consumer,
  Producer,
  stringDeserializers as deserializers,
  stringSerializers as serializers,
} from "@platformatic/kafka";

const NUMBERS = 20;
const base = { clientId: "check", bootstrapBrokers: [process.argv[2]] };
const admin = new Admin(base);
const producer = new Producer({ ...base, serializers, idempotent: true });
const group = { groupId: "sums", groupProtocol: "consumer" };
const consumer = new Consumer({ ...base, ...group, deserializers });

const [topic, partitions] = ["numbers", 2];
await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
for (let number = 0; number < NUMBERS; number++) {
  await producer.send({ messages: [{ topic, key: `${number}`, value: `${number}` }] });
}

let [count, sum] = [0, 0];
const stream = await consumer.consume({ topics: [topic], mode: "earliest", autocommit: false });
for await (const message of stream) {
  sum += Number(message.value);
  await message.commit();
  if (++count === NUMBERS) break;
}
const [offsets] = await admin.listConsumerGroupOffsets({ groups: ["sums"] });
const each = offsets.topics[0].partitions.map((partition) => Number(partition.committedOffset));
console.log(sum, each.reduce((total, offset) => total + offset, 0));
await consumer.close(true);
await Promise.all([producer.close(), admin.close()]);
