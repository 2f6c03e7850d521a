import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;

/** What a producer does when its response is lost, and when a replica does not follow. */
public class Example {
    private static final String BOOTSTRAP =
            System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    private static final Broker BROKER = new Broker(
            System.getenv().getOrDefault("ANTECHAMBER_ADMIN", "http://127.0.0.1:9644"));

    public static void main(String[] arguments) throws Exception {
        aLostResponseIsRetriedAndTheRecordIsStoredOnce();
        aProduceTimesOutWithoutWaitingForIt();
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
