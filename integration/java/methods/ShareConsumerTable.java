package methods;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The table of ShareConsumer (KIP-932). */
class ShareConsumerTable {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final Map<String, Object> EXPLICIT =
        Map.of("share.acknowledgement.mode", "explicit");
    private static MethodTable<ShareConsumer> table;

    static MethodTable<ShareConsumer> table() {
        var strings = new StringDeserializer();
        table = new MethodTable<>(ShareConsumer.class, settings -> {
            settings.put("group.id", settings.get("client.id").toString().replace("/", ".")
                .replace(" ", ".") + ".group");
            return new KafkaShareConsumer<>(settings, strings, strings);
        });
        subscriptions();
        acknowledgements();
        commits();
        client();
        return table;
    }

    private static void subscriptions() {
        table.call("subscribe", "defaults", (consumer, on) ->
            printed(records(consumer, on)));
        table.call("subscription", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            return consumer.subscription();
        });
        table.call("unsubscribe", "defaults", (consumer, on) -> {
            records(consumer, on);
            consumer.unsubscribe();
            return consumer.subscription();
        });
        table.call("poll", "timeout", (consumer, on) ->
            printed(records(consumer, on)));
        table.call("poll", "unsubscribed", (consumer, on) -> consumer.poll(WITHIN));
        table.call("wakeup", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            consumer.wakeup();
            return consumer.poll(WITHIN);
        });
    }

    private static void acknowledgements() {
        table.call("acknowledge", "defaults", (consumer, on) -> {
            ShareConsumer explicit = on.client(table, EXPLICIT);
            for (ConsumerRecord each : records(explicit, on)) explicit.acknowledge(each);
            return committed(explicit.commitSync());
        });
        table.call("acknowledge", "type", (consumer, on) -> {
            ShareConsumer explicit = on.client(table, EXPLICIT);
            for (ConsumerRecord each : records(explicit, on)) {
                explicit.acknowledge(each, AcknowledgeType.RELEASE);
            }
            return List.of(committed(explicit.commitSync()), printed(more(explicit)));
        });
        table.call("acknowledge", "position", (consumer, on) -> {
            ShareConsumer explicit = on.client(table, EXPLICIT);
            for (ConsumerRecord each : records(explicit, on)) {
                explicit.acknowledge(
                    each.topic(), each.partition(), each.offset(), AcknowledgeType.REJECT);
            }
            return committed(explicit.commitSync());
        });
        table.call("acknowledge", "implicit_mode", (consumer, on) -> {
            consumer.acknowledge(records(consumer, on).get(0));
            return null;
        });
        table.call("acquisitionLockTimeoutMs", "defaults", (consumer, on) -> {
            List<Object> seen = new ArrayList<>(List.of(consumer.acquisitionLockTimeoutMs()));
            records(consumer, on);
            seen.add(consumer.acquisitionLockTimeoutMs());
            return seen;
        });
    }

    private static void commits() {
        table.call("commitSync", "defaults", (consumer, on) -> {
            records(consumer, on);
            return committed(consumer.commitSync());
        });
        table.call("commitSync", "timeout", (consumer, on) -> {
            records(consumer, on);
            return committed(consumer.commitSync(WITHIN));
        });
        table.call("commitAsync", "defaults", (consumer, on) -> reported(consumer, on));
        table.call("setAcknowledgementCommitCallback", "defaults", (consumer, on) ->
            reported(consumer, on));
    }

    private static void client() {
        table.call("clientInstanceId", "defaults", (consumer, on) ->
            consumer.clientInstanceId(Duration.ofMillis(500)));
        table.call("metrics", "defaults", (consumer, on) -> !consumer.metrics().isEmpty());
        table.call("registerMetricForSubscription", "defaults", (consumer, on) -> {
            consumer.registerMetricForSubscription(AdminCluster.metric());
            return null;
        });
        table.call("unregisterMetricFromSubscription", "defaults", (consumer, on) -> {
            consumer.unregisterMetricFromSubscription(AdminCluster.metric());
            return null;
        });
        table.call("close", "defaults", (consumer, on) -> {
            records(consumer, on);
            consumer.close();
            return null;
        });
        table.call("close", "timeout", (consumer, on) -> {
            consumer.close(Duration.ofSeconds(5));
            return null;
        });
    }

    /** Subscribes to the topic, whose records the group gets from the first one on, and polls. */
    private static List<ConsumerRecord> records(ShareConsumer consumer, Fixtures on)
            throws Exception {
        on.fromTheFirstRecord(on.named("group"));
        consumer.subscribe(List.of(on.topic()));
        return more(consumer);
    }

    /** Polls until there are three records. */
    private static List<ConsumerRecord> more(ShareConsumer consumer) throws Exception {
        List<ConsumerRecord> found = new ArrayList<>();
        Fixtures.eventually(() -> {
            consumer.poll(Duration.ofMillis(200)).forEach(each -> found.add((ConsumerRecord) each));
            return found.size() >= 3;
        });
        return found;
    }

    private static Object reported(ShareConsumer consumer, Fixtures on) throws Exception {
        List<Object> events = new ArrayList<>();
        consumer.setAcknowledgementCommitCallback((offsets, error) ->
            offsets.values().forEach(each -> events.add(new TreeSet<>(each) + " " + error)));
        records(consumer, on);
        consumer.commitAsync();
        Fixtures.eventually(() -> {
            consumer.poll(Duration.ofMillis(10));
            return !events.isEmpty();
        });
        return events;
    }

    private static Object printed(List<ConsumerRecord> records) {
        return records.stream().map(each -> each.offset() + "#" + each.deliveryCount()).toList();
    }

    private static Object committed(Map<?, ?> results) {
        Map<String, Object> printed = new TreeMap<>();
        results.forEach((partition, error) ->
            printed.put(((TopicIdPartition) partition).topicPartition().toString(), error));
        return printed;
    }
}
