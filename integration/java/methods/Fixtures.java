package methods;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Topics, records and groups of one shape on the broker.
 *
 * Names are the same on every broker, so that outcomes can be compared.
 */
class Fixtures implements AutoCloseable {
    static final long NOW = System.currentTimeMillis() / 1000 * 1000 - 3000;

    final String bootstrap;
    final String clientId;
    private final String prefix;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;
    private final List<AutoCloseable> clients = new ArrayList<>();
    private String topic;
    private String group;
    /** Wraps a client, to note the called methods. */
    Function<Object, Object> watch = client -> client;

    /** `admin` and `producer` are shared by all fixtures. */
    Fixtures(
        String bootstrap, String clientId, Admin admin, KafkaProducer<String, String> producer
    ) {
        this.bootstrap = bootstrap;
        this.clientId = clientId;
        this.prefix = clientId.replaceAll("[ /]", ".") + ".";
        this.admin = admin;
        this.producer = producer;
    }

    /** Returns a name that only this shape has. */
    String named(String what) {
        return prefix + what;
    }

    /** Returns the name of nothing. */
    String absent() {
        return named("absent");
    }

    /** Returns a topic of two partitions, with three records in the first one. */
    String topic() throws Exception {
        if (topic != null) return topic;
        topic = emptyTopic("topic", 2);
        for (int number = 0; number < 3; number++) {
            String value = List.of("one", "two", "three").get(number);
            producer.send(new ProducerRecord<>(topic, 0, NOW + number * 1000, null, value)).get();
        }
        return topic;
    }

    /** Creates a topic without records. */
    String emptyTopic(String what, int partitions) throws Exception {
        String name = named(what);
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
        eventually(() -> admin.describeTopics(List.of(name)).allTopicNames().get().get(name)
            .partitions().stream().allMatch(each -> each.leader() != null));
        return name;
    }

    TopicPartition first() throws Exception {
        return new TopicPartition(topic(), 0);
    }

    TopicPartition second() throws Exception {
        return new TopicPartition(topic(), 1);
    }

    /** Returns a group without members that has committed offset 1 of the first partition. */
    String group() throws Exception {
        if (group != null) return group;
        group = named("group");
        admin.alterConsumerGroupOffsets(group, Map.of(first(), new OffsetAndMetadata(1)))
            .all().get();
        return group;
    }

    /** Returns a share group without members that begins with offset 1 of the first partition. */
    String shareGroup() throws Exception {
        String name = named("share-group");
        eventually(() -> admin.alterShareGroupOffsets(name, Map.of(first(), 1L)).all().get() == null);
        return name;
    }

    /** Returns a streams group of one member, which has a task for each partition of the topic. */
    String streamsGroup() throws Exception {
        String name = named("streams-group");
        eventually(streamsMember(name)::getsTasks);
        return name;
    }

    /** Returns a streams group without members that has committed offset 1 of the first partition. */
    String emptyStreamsGroup() throws Exception {
        String name = named("streams-group");
        streamsMember(name).leave();
        admin.alterStreamsGroupOffsets(name, Map.of(first(), new OffsetAndMetadata(1)))
            .all().get();
        return name;
    }

    private StreamsMember streamsMember(String ownGroup) throws Exception {
        configure(ownGroup, "streams.initial.rebalance.delay.ms", "0");
        configure(ownGroup, "streams.assignment.interval.ms", "0");
        admin.listConsumerGroupOffsets(ownGroup).all().get();  // it waits for the coordinator
        return new StreamsMember(bootstrap, ownGroup, topic());
    }

    /** Sets the share group of a consumer to begin with the first record. */
    void fromTheFirstRecord(String group) throws Exception {
        configure(group, "share.auto.offset.reset", "earliest");
    }

    private void configure(String group, String key, String value) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        var change = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
        eventually(() -> value.equals(
            admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key).value()));
    }

    /** Returns whether a name belongs to this shape. */
    boolean isMine(String name) {
        return name.startsWith(prefix);
    }

    /** Returns the items whose names belong to this shape. */
    <T> List<T> mine(Collection<T> all, Function<T, String> name) {
        return all.stream().filter(each -> isMine(name.apply(each))).collect(Collectors.toList());
    }

    /** Returns the base of every client's configuration. */
    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("client.id", clientId);
        settings.put("request.timeout.ms", 10_000);
        settings.put("default.api.timeout.ms", 60_000);
        return settings;
    }

    /** Returns a client of a table, with settings over the base. */
    <C> C client(MethodTable<C> table, Map<String, Object> over) {
        Map<String, Object> settings = settings();
        settings.putAll(over);
        C client = table.make.apply(settings);
        if (client instanceof AutoCloseable closeable) clients.add(closeable);
        return table.of.cast(watch.apply(client));
    }

    /** Closes a client together with these fixtures. */
    <T extends AutoCloseable> T closing(T client) {
        clients.add(client);
        return client;
    }

    /** Returns a member of a new group, once it has its partitions. */
    KafkaConsumer<String, String> member(String ownGroup, String instance) throws Exception {
        Properties settings = new Properties();
        settings.putAll(settings());
        settings.put("client.id", "member");
        settings.put("group.id", ownGroup);
        settings.put("auto.offset.reset", "earliest");
        Optional.ofNullable(instance).ifPresent(id -> settings.put("group.instance.id", id));
        var strings = new StringDeserializer();
        var consumer = closing(new KafkaConsumer<String, String>(settings, strings, strings));
        consumer.subscribe(List.of(topic()));
        if (consumer.poll(Duration.ofSeconds(20)).isEmpty()) throw new AssertionError("no record");
        return consumer;
    }

    /**
     * Polls until the result is true, for at most 40 seconds.
     *
     * Kafka resolves the pattern of a group at most once in 10 seconds. Where the coordinator does
     * not have a new topic yet, its member waits for the next time: 2 of 120 took 15 s.
     */
    static void eventually(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + 40_000_000_000L;
        while (true) {
            try {
                if (condition.call()) return;
            } catch (java.util.concurrent.ExecutionException notYet) {
                if (System.nanoTime() > deadline) throw notYet;
            }
            if (System.nanoTime() > deadline) throw new AssertionError("not within 40 s");
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        for (AutoCloseable client : clients) {
            try {
                client.close();
            } catch (Exception closedAlready) {
                continue;
            }
        }
    }
}
