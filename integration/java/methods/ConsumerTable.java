package methods;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The table of Consumer. */
class ConsumerTable {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final Map<String, Object> NEW_PROTOCOL = Map.of("group.protocol", "consumer");
    private static MethodTable<Consumer> table;

    static MethodTable<Consumer> table() {
        var strings = new StringDeserializer();
        table = new MethodTable<>(Consumer.class, settings -> {
            settings.put("group.id", settings.get("client.id").toString().replace("/", ".")
                .replace(" ", ".") + ".group");
            settings.put("auto.offset.reset", "earliest");
            settings.put("enable.auto.commit", false);
            return new KafkaConsumer<>(settings, strings, strings);
        });
        subscriptions();
        reading();
        commits();
        positions();
        lookups();
        client();
        return table;
    }

    private static void subscriptions() {
        table.call("assign", "defaults", (consumer, on) -> read(consumer, on));
        table.call("assignment", "defaults", (consumer, on) -> {
            read(consumer, on);
            return consumer.assignment();
        });
        table.call("subscribe", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            return joined(consumer);
        });
        table.call("subscribe", "listener", (consumer, on) -> {
            Listener listener = new Listener();
            consumer.subscribe(List.of(on.topic()), listener);
            return List.of(joined(consumer), listener.events);
        });
        table.call("subscribe", "pattern", (consumer, on) -> {
            consumer.subscribe(Pattern.compile(Pattern.quote(on.topic()) + ".*"));
            return joined(consumer);
        });
        table.call("subscribe", "pattern_and_listener", (consumer, on) -> {
            Listener listener = new Listener();
            consumer.subscribe(Pattern.compile(Pattern.quote(on.topic()) + ".*"), listener);
            return List.of(joined(consumer), listener.events);
        });
        table.call("subscribe", "consumer_protocol", (consumer, on) -> {
            Consumer other = on.client(table, NEW_PROTOCOL);
            other.subscribe(List.of(on.topic()));
            return joined(other);
        });
        table.call("subscribe", "broker_pattern", (consumer, on) -> {
            Consumer other = on.client(table, NEW_PROTOCOL);
            other.subscribe(new SubscriptionPattern(on.topic().replace(".", "\\.") + ".*"));
            return joined(other);
        });
        table.call("subscribe", "broker_pattern_and_listener", (consumer, on) -> {
            Listener listener = new Listener();
            Consumer other = on.client(table, NEW_PROTOCOL);
            other.subscribe(new SubscriptionPattern(on.topic().replace(".", "\\.")), listener);
            return List.of(joined(other), listener.events);
        });
        table.call("subscription", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            return consumer.subscription();
        });
        table.call("unsubscribe", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            joined(consumer);
            consumer.unsubscribe();
            return consumer.assignment();
        });
        table.call("enforceRebalance", "defaults", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            joined(consumer);
            consumer.enforceRebalance();
            return joined(consumer);
        });
        table.call("enforceRebalance", "reason", (consumer, on) -> {
            consumer.enforceRebalance("a reason");
            return null;
        });
    }

    private static void reading() {
        table.call("poll", "timeout", (consumer, on) -> {
            consumer.assign(List.of(on.first()));
            return consumer.poll(WITHIN);
        });
        table.call("poll", "at_once", (consumer, on) -> {
            consumer.assign(List.of(on.second()));
            return consumer.poll(Duration.ZERO);
        });
        table.call("pause", "defaults", (consumer, on) -> paused(consumer, on));
        table.call("paused", "defaults", (consumer, on) -> {
            paused(consumer, on);
            return consumer.paused();
        });
        table.call("resume", "defaults", (consumer, on) -> {
            paused(consumer, on);
            consumer.resume(List.of(on.first()));
            return List.of(consumer.paused(), consumer.poll(WITHIN));
        });
        table.call("wakeup", "defaults", (consumer, on) -> {
            consumer.assign(List.of(on.second()));
            consumer.wakeup();
            return consumer.poll(WITHIN);
        });
    }

    private static void commits() {
        table.call("commitSync", "defaults", (consumer, on) -> {
            read(consumer, on);
            consumer.commitSync();
            return committed(consumer, on);
        });
        table.call("commitSync", "timeout", (consumer, on) -> {
            read(consumer, on);
            consumer.commitSync(WITHIN);
            return committed(consumer, on);
        });
        table.call("commitSync", "offsets", (consumer, on) -> {
            consumer.commitSync(AdminGroups.offset(on.first()));
            return committed(consumer, on);
        });
        table.call("commitSync", "offsets_and_timeout", (consumer, on) -> {
            consumer.commitSync(AdminGroups.offset(on.first()), WITHIN);
            return committed(consumer, on);
        });
        table.call("commitSync", "long_metadata", (consumer, on) -> {
            consumer.commitSync(Map.of(on.first(), new OffsetAndMetadata(1, "x".repeat(5000))));
            return null;
        });
        table.call("commitAsync", "defaults", (consumer, on) -> {
            read(consumer, on);
            consumer.commitAsync();
            Fixtures.eventually(() -> {
                consumer.poll(Duration.ofMillis(10));
                return consumer.committed(Set.of(on.first()), WITHIN)
                    .get(on.first()) != null;
            });
            return committed(consumer, on);
        });
        table.call("commitAsync", "callback", (consumer, on) -> {
            List<Object> events = new ArrayList<>();
            read(consumer, on);
            consumer.commitAsync((offsets, error) -> events.add(offsets + " " + error));
            return polled(consumer, events);
        });
        table.call("commitAsync", "offsets_and_callback", (consumer, on) -> {
            List<Object> events = new ArrayList<>();
            consumer.assign(List.of(on.first()));
            consumer.commitAsync(
                AdminGroups.offset(on.first()),
                (offsets, error) -> events.add(offsets + " " + error));
            return polled(consumer, events);
        });
        table.call("committed", "defaults", (consumer, on) -> {
            on.group();
            return consumer.committed(Set.of(on.first(), on.second()));
        });
        table.call("committed", "timeout", (consumer, on) ->
            consumer.committed(Set.of(on.first()), WITHIN));
    }

    private static void positions() {
        table.call("position", "defaults", (consumer, on) -> {
            read(consumer, on);
            return consumer.position(on.first());
        });
        table.call("position", "timeout", (consumer, on) -> {
            consumer.assign(List.of(on.first()));
            return consumer.position(on.first(), WITHIN);
        });
        table.call("seek", "defaults", (consumer, on) -> {
            consumer.assign(List.of(on.first()));
            consumer.seek(on.first(), 2);
            return consumer.poll(WITHIN);
        });
        table.call("seek", "metadata", (consumer, on) -> {
            consumer.assign(List.of(on.first()));
            consumer.seek(on.first(), new OffsetAndMetadata(1));
            return consumer.poll(WITHIN);
        });
        table.call("seekToBeginning", "defaults", (consumer, on) -> {
            read(consumer, on);
            consumer.seekToBeginning(List.of(on.first()));
            return consumer.position(on.first());
        });
        table.call("seekToEnd", "defaults", (consumer, on) -> {
            consumer.assign(List.of(on.first()));
            consumer.seekToEnd(List.of(on.first()));
            return consumer.position(on.first());
        });
        table.call("currentLag", "defaults", (consumer, on) -> {
            read(consumer, on);
            return consumer.currentLag(on.first());
        });
    }

    private static void lookups() {
        table.call("beginningOffsets", "defaults", (consumer, on) ->
            consumer.beginningOffsets(List.of(on.first())));
        table.call("beginningOffsets", "timeout", (consumer, on) ->
            consumer.beginningOffsets(List.of(on.second()), WITHIN));
        table.call("endOffsets", "defaults", (consumer, on) ->
            consumer.endOffsets(List.of(on.first())));
        table.call("endOffsets", "timeout", (consumer, on) ->
            consumer.endOffsets(List.of(on.second()), WITHIN));
        table.call("offsetsForTimes", "defaults", (consumer, on) ->
            consumer.offsetsForTimes(Map.of(on.first(), Fixtures.NOW + 1000)));
        table.call("offsetsForTimes", "timeout", (consumer, on) ->
            consumer.offsetsForTimes(Map.of(on.first(), Fixtures.NOW + 9000), WITHIN));
        table.call("partitionsFor", "defaults", (consumer, on) ->
            consumer.partitionsFor(on.topic()));
        table.call("partitionsFor", "timeout", (consumer, on) ->
            consumer.partitionsFor(on.topic(), WITHIN));
        table.call("listTopics", "defaults", (consumer, on) ->
            List.of(on.topic(), listed(consumer.listTopics(), on)));
        table.call("listTopics", "timeout", (consumer, on) ->
            List.of(on.topic(), listed(consumer.listTopics(WITHIN), on)));
    }

    private static void client() {
        table.call("groupMetadata", "defaults", (consumer, on) -> consumer.groupMetadata());
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
            consumer.subscribe(List.of(on.topic()));
            joined(consumer);
            consumer.close();
            return null;
        });
        table.call("close", "timeout", (consumer, on) -> {
            consumer.close(Duration.ofSeconds(5));
            return null;
        });
        table.call("close", "options", (consumer, on) -> {
            consumer.subscribe(List.of(on.topic()));
            joined(consumer);
            consumer.close(CloseOptions.groupMembershipOperation(
                GroupMembershipOperation.REMAIN_IN_GROUP));
            return null;
        });
    }

    /** Assigns the first partition, and reads its records. */
    private static Object read(Consumer consumer, Fixtures on) throws Exception {
        consumer.assign(List.of(on.first()));
        return JsonValues.of(consumer.poll(WITHIN));
    }

    /** Polls until there are records, by which time partitions are assigned. */
    private static Object joined(Consumer consumer) throws Exception {
        Fixtures.eventually(() -> {
            consumer.poll(Duration.ofMillis(200));
            return !consumer.assignment().isEmpty();
        });
        return consumer.assignment();
    }

    private static Object polled(Consumer consumer, List<Object> events) throws Exception {
        Fixtures.eventually(() -> {
            consumer.poll(Duration.ofMillis(10));
            return !events.isEmpty();
        });
        return events;
    }

    private static Object paused(Consumer consumer, Fixtures on) throws Exception {
        read(consumer, on);
        consumer.seek(on.first(), 0);
        consumer.pause(List.of(on.first()));
        return consumer.poll(Duration.ofMillis(200));
    }

    private static Object committed(Consumer consumer, Fixtures on) throws Exception {
        return consumer.committed(Set.of(on.first()));
    }

    private static Object listed(Map<String, List<?>> topics, Fixtures on) {
        return on.mine(new TreeSet<>(topics.keySet()), name -> name);
    }

    /** Notes what it is events. */
    private static class Listener implements ConsumerRebalanceListener {
        final List<Object> events = new ArrayList<>();

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            events.add("revoked " + new TreeSet<>(partitions.stream().map(String::valueOf).toList()));
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            events.add("assigned " + new TreeSet<>(partitions.stream().map(String::valueOf).toList()));
        }
    }
}
