import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A consumer waits for a record; the record is produced when the broker reports the wait. */
public class Example {
    public static void main(String[] arguments) throws Exception {
        try (var broker = new BrokerContainer("--topic", "orders")) {
            broker.start();
            String bootstrap = broker.getBootstrapServers();
            var consumed = CompletableFuture.supplyAsync(() -> consume(bootstrap));
            broker.waitParked("Fetch", "orders");
            produce(bootstrap, "one");
            System.out.println("consumed: " + consumed.get());
        }
    }

    private static void produce(String bootstrap, String value) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
        var text = new StringSerializer();
        try (var producer = new KafkaProducer<>(settings, text, text)) {
            producer.send(new ProducerRecord<>("orders", value)).get();
        }
    }

    private static String consume(String bootstrap) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "fetch.max.wait.ms", 10_000);
        var text = new StringDeserializer();
        try (var consumer = new KafkaConsumer<>(settings, text, text)) {
            var partition = new TopicPartition("orders", 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (true) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    return record.value();
                }
            }
        }
    }
}
