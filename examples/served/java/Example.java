import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** What a producer and a consumer do when a response is lost, and when time passes. */
public class Example {
    private static final String BOOTSTRAP =
            System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    private static final Broker BROKER = new Broker(
            System.getenv().getOrDefault("ANTECHAMBER_ADMIN", "http://127.0.0.1:9644"));

    public static void main(String[] arguments) throws Exception {
        aLostResponseIsRetriedAndTheRecordIsStoredOnce();
        aProduceTimesOutWithoutWaitingForIt();
        aSessionEndsWithoutWaitingForIt();
        aRebalanceNeedsNoTime();
    }

    private static void aLostResponseIsRetriedAndTheRecordIsStoredOnce() throws Exception {
        var rule = BROKER.addFault("""
                {"name": "lost", "match": {"api": "Produce", "topic": "orders"}, "times": 1,
                 "action": {"type": "close", "when": "after"}}""");
        try (var producer = producer(Map.of())) {
            var first = producer.send(new ProducerRecord<>("orders", "one")).get();
            BROKER.await("for=fault_fired&rule=" + rule);
            var second = producer.send(new ProducerRecord<>("orders", "two")).get();
            check(first.offset() == 0 && second.offset() == 1, "each record is stored once");
        }
        System.out.println("passed: a lost response is retried, and the record is stored once");
    }

    private static void aProduceTimesOutWithoutWaitingForIt() throws Exception {
        Map<String, Object> settings = Map.of(
                "request.timeout.ms", 20_000, "enable.idempotence", false, "retries", 0);
        BROKER.change("clock/freeze");
        BROKER.change("nodes/1/pause"); // as a follower: a paused node still serves as a leader
        BROKER.change("nodes/2/pause");
        try (var producer = producer(settings)) {
            var sent = producer.send(new ProducerRecord<>("payments", "one"));
            BROKER.await("for=parked&api=Produce&topic=payments");
            BROKER.change("clock/advance?to=parked&api=Produce");
            try {
                sent.get();
                check(false, "the produce times out");
            } catch (ExecutionException failed) {
                check(failed.getCause() instanceof TimeoutException, failed.toString());
            }
        } finally {
            BROKER.change("nodes/1/resume");
            BROKER.change("nodes/2/resume");
            BROKER.change("clock/run");
        }
        System.out.println("passed: a produce times out without waiting for it");
    }

    private static void aSessionEndsWithoutWaitingForIt() throws Exception {
        try (var consumer = consumer("billing")) {
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(50));
            }
            BROKER.change("clock/advance?ms=45000"); // before the first heartbeat, after 15 seconds
            var processed = Map.of(new TopicPartition("deliveries", 0), new OffsetAndMetadata(0));
            try {
                consumer.commitSync(processed);
                check(false, "the commit fails");
            } catch (CommitFailedException expected) {
                System.out.println("passed: a session ends without waiting for it");
            }
        }
    }

    private static void aRebalanceNeedsNoTime() throws Exception {
        BROKER.change("clock/freeze");
        try (var one = consumer("shipping"); var other = consumer("shipping")) {
            while (one.assignment().size() != 1 || other.assignment().size() != 1) {
                one.poll(Duration.ofMillis(50));
                other.poll(Duration.ofMillis(50));
            }
        } finally {
            BROKER.change("clock/run");
        }
        System.out.println("passed: a rebalance needs no time");
    }

    /** A member of a group, with the topic of two partitions. */
    private static KafkaConsumer<String, String> consumer(String group) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", BOOTSTRAP,
                "group.id", group,
                "heartbeat.interval.ms", group.equals("billing") ? 15_000 : 100,
                "enable.auto.commit", false);
        var consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of("deliveries"));
        return consumer;
    }

    private static KafkaProducer<String, String> producer(Map<String, Object> more) {
        var settings = new HashMap<String, Object>(more);
        settings.put("bootstrap.servers", BOOTSTRAP);
        settings.put("acks", "all");
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
