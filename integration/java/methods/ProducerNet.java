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

/** The net of Producer. */
class ProducerNet {
    private static Net<Producer> net;

    @SuppressWarnings("unchecked")
    static Net<Producer> net() {
        var strings = new StringSerializer();
        net = new Net<>(Producer.class, settings -> {
            settings.put("max.block.ms", 10_000);
            settings.put("delivery.timeout.ms", 20_000);
            return new KafkaProducer<>(settings, strings, strings);
        });
        sending();
        transactions();
        client();
        return net;
    }

    private static void sending() {
        net.call("send", "defaults", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.emptyTopic("t", 1), "value")));
        net.call("send", "key", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.emptyTopic("t", 1), "key", "value")));
        net.call("send", "partition_and_time", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.topic(), 1, Stage.NOW, "key", "value")));
        net.call("send", "new_topic", (producer, on) ->
            sent(producer, new ProducerRecord<>(on.absent(), "value")));
        net.call("send", "bad_topic", (producer, on) ->
            sent(producer, new ProducerRecord<>("a b", "value")));
        net.call("send", "too_large", (producer, on) ->
            sent(
                on.client(net, Map.of("max.request.size", 5_000_000)),
                new ProducerRecord<>(on.emptyTopic("t", 1), "v".repeat(2_000_000))));
        net.call("send", "gzip", (producer, on) -> with(on, "compression.type", "gzip"));
        net.call("send", "snappy", (producer, on) -> with(on, "compression.type", "snappy"));
        net.call("send", "lz4", (producer, on) -> with(on, "compression.type", "lz4"));
        net.call("send", "zstd", (producer, on) -> with(on, "compression.type", "zstd"));
        net.call("send", "acks_of_none", (producer, on) -> with(on, "acks", "0"));
        net.call("send", "acks_of_one", (producer, on) -> with(on, "acks", "1"));
        net.call("send", "callback", (producer, on) -> {
            var told = new java.util.concurrent.CompletableFuture<String>();
            producer.send(
                new ProducerRecord<>(on.emptyTopic("t", 1), "value"),
                (RecordMetadata record, Exception error) -> told.complete(record + " " + error));
            return told;
        });
        net.call("flush", "defaults", (producer, on) -> {
            var sent = producer.send(new ProducerRecord<>(on.emptyTopic("t", 1), "value"));
            producer.flush();
            return sent.isDone();
        });
        net.call("partitionsFor", "defaults", (producer, on) ->
            producer.partitionsFor(on.emptyTopic("t", 2)));
        net.call("partitionsFor", "new_topic", (producer, on) ->
            producer.partitionsFor(on.absent()));
    }

    private static void transactions() {
        net.call("initTransactions", "defaults", (producer, on) -> initialized(on) != null);
        net.call("initTransactions", "without_an_id", (producer, on) -> {
            producer.initTransactions();
            return null;
        });
        net.call("beginTransaction", "defaults", (producer, on) -> begun(on) != null);
        net.call("abortTransaction", "defaults", (producer, on) -> {
            begun(on).abortTransaction();
            return null;
        });
        net.call("commitTransaction", "defaults", (producer, on) -> {
            begun(on).commitTransaction();
            return null;
        });
        net.call("sendOffsetsToTransaction", "defaults", (producer, on) -> {
            Producer begun = begun(on);
            begun.sendOffsetsToTransaction(
                Map.of(on.first(), new OffsetAndMetadata(2)),
                new ConsumerGroupMetadata(on.group()));
            begun.commitTransaction();
            return null;
        });
    }

    private static void client() {
        net.call("clientInstanceId", "defaults", (producer, on) ->
            producer.clientInstanceId(Duration.ofMillis(500)));
        net.call("metrics", "defaults", (producer, on) -> !producer.metrics().isEmpty());
        net.call("registerMetricForSubscription", "defaults", (producer, on) -> {
            producer.registerMetricForSubscription(AdminCluster.metric());
            return null;
        });
        net.call("unregisterMetricFromSubscription", "defaults", (producer, on) -> {
            producer.unregisterMetricFromSubscription(AdminCluster.metric());
            return null;
        });
        net.call("close", "defaults", (producer, on) -> {
            var sent = producer.send(new ProducerRecord<>(on.emptyTopic("t", 1), "value"));
            producer.close();
            return sent.isDone();
        });
        net.call("close", "timeout", (producer, on) -> {
            producer.close(Duration.ofSeconds(5));
            return null;
        });
    }

    private static Object sent(Producer producer, ProducerRecord<String, String> record) {
        return producer.send(record);
    }

    /** Sends a record by a producer with this setting; acks other than all need no id. */
    private static Object with(Stage on, String key, String value) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of(key, value));
        if (key.equals("acks")) settings.put("enable.idempotence", false);
        return sent(
            on.client(net, settings),
            new ProducerRecord<>(on.emptyTopic("t", 1), "v".repeat(1000)));
    }

    private static Producer initialized(Stage on) {
        Producer producer = on.client(net, Map.of("transactional.id", on.named("transaction")));
        producer.initTransactions();
        return producer;
    }

    private static Producer begun(Stage on) throws Exception {
        Producer producer = initialized(on);
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(on.topic(), 1, "key", "value"));
        return producer;
    }
}
