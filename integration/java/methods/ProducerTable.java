package methods;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** The table of Producer. */
class ProducerTable {
    private static MethodTable<Producer> table;

    @SuppressWarnings("unchecked")
    static MethodTable<Producer> table() {
        var strings = new StringSerializer();
        table = new MethodTable<>(Producer.class, settings -> {
            settings.put("max.block.ms", 10_000);
            settings.put("delivery.timeout.ms", 20_000);
            return new KafkaProducer<>(settings, strings, strings);
        });
        sending();
        transactions();
        client();
        return table;
    }

    private static void sending() {
        table.call("send", "defaults", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.emptyTopic("t", 1), "value")));
        table.call("send", "key", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.emptyTopic("t", 1), "key", "value")));
        table.call("send", "partition_and_time", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.topic(), 1, Fixtures.NOW, "key", "value")));
        table.call("send", "new_topic", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.absent(), "value")));
        table.call("send", "bad_topic", (producer, on) ->
            sent(producer, new ProducerRecord<>("a b", "value")));
        table.call("send", "too_large", (producer, on) ->
            sent(
                on.client(table, Map.of("max.request.size", 5_000_000)),
                new ProducerRecord<>(on.emptyTopic("t", 1), "v".repeat(2_000_000))));
        table.call("send", "gzip", (producer, on) -> with(on, "compression.type", "gzip"));
        table.call("send", "snappy", (producer, on) -> with(on, "compression.type", "snappy"));
        table.call("send", "lz4", (producer, on) -> with(on, "compression.type", "lz4"));
        table.call("send", "zstd", (producer, on) -> with(on, "compression.type", "zstd"));
        table.call("send", "acks_of_none", (producer, on) -> with(on, "acks", "0"));
        table.call("send", "acks_of_one", (producer, on) -> with(on, "acks", "1"));
        table.call("send", "callback", (producer, on) -> {
            var delivered = new java.util.concurrent.CompletableFuture<String>();
            producer.send(
                new ProducerRecord<>(on.emptyTopic("t", 1), "value"),
                (RecordMetadata record, Exception error) -> delivered.complete(record + " " + error));
            return delivered;
        });
        table.call("flush", "defaults", (producer, on) -> {
            var sent = producer.send(new ProducerRecord<>(on.emptyTopic("t", 1), "value"));
            producer.flush();
            return sent.isDone();
        });
        table.call("partitionsFor", "defaults", (producer, on) ->
            producer.partitionsFor(on.emptyTopic("t", 2)));
        table.call("partitionsFor", "new_topic", (producer, on) ->
            producer.partitionsFor(on.absent()));
    }

    private static void transactions() {
        table.call("initTransactions", "defaults", (producer, on) -> initialized(on) != null);
        table.call("initTransactions", "without_an_id", (producer, on) -> {
            producer.initTransactions();
            return null;
        });
        table.call("beginTransaction", "defaults", (producer, on) -> begun(on) != null);
        table.call("abortTransaction", "defaults", (producer, on) -> {
            begun(on).abortTransaction();
            return null;
        });
        table.call("commitTransaction", "defaults", (producer, on) -> {
            begun(on).commitTransaction();
            return null;
        });
        table.call("sendOffsetsToTransaction", "defaults", (producer, on) -> {
            Producer begun = begun(on);
            begun.sendOffsetsToTransaction(
                Map.of(on.first(), new OffsetAndMetadata(2)),
                new ConsumerGroupMetadata(on.group()));
            begun.commitTransaction();
            return null;
        });
    }

    private static void client() {
        table.call("clientInstanceId", "defaults", (producer, on) ->
            producer.clientInstanceId(Duration.ofMillis(500)));
        table.call("metrics", "defaults", (producer, on) -> !producer.metrics().isEmpty());
        table.call("registerMetricForSubscription", "defaults", (producer, on) -> {
            producer.registerMetricForSubscription(AdminCluster.metric());
            return null;
        });
        table.call("unregisterMetricFromSubscription", "defaults", (producer, on) -> {
            producer.unregisterMetricFromSubscription(AdminCluster.metric());
            return null;
        });
        table.call("close", "defaults", (producer, on) -> {
            var sent = producer.send(new ProducerRecord<>(on.emptyTopic("t", 1), "value"));
            producer.close();
            return sent.isDone();
        });
        table.call("close", "timeout", (producer, on) -> {
            producer.close(Duration.ofSeconds(5));
            return null;
        });
    }

    private static Object sent(Producer producer, ProducerRecord<String, String> record) {
        return producer.send(record);
    }

    /** Sends a record by a producer with this setting; acks other than all need no id. */
    private static Object with(Fixtures on, String key, String value) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of(key, value));
        if (key.equals("acks")) settings.put("enable.idempotence", false);
        return sent(
            on.client(table, settings),
            new ProducerRecord<>(on.emptyTopic("t", 1), "v".repeat(1000)));
    }

    private static Producer initialized(Fixtures on) {
        Producer producer = on.client(table, Map.of("transactional.id", on.named("transaction")));
        producer.initTransactions();
        return producer;
    }

    private static Producer begun(Fixtures on) throws Exception {
        Producer producer = initialized(on);
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(on.topic(), 1, "key", "value"));
        return producer;
    }
}
