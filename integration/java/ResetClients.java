// A producer and a consumer of a group that stay connected. Each line of stdin is a command, and
// stdout gets a line with its result.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public final class ResetClients {
    private final KafkaProducer<String, String> producer;
    private final KafkaConsumer<String, String> consumer;

    private ResetClients(String bootstrap, String groupProtocol) {
        Map<String, Object> servers = Map.of("bootstrap.servers", bootstrap);
        producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer());
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "group.id", "shipping",
                        "group.protocol", groupProtocol,
                        "enable.auto.commit", "false",
                        "auto.offset.reset", "earliest");
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of("orders"));
    }

    public static void main(String[] arguments) throws Exception {
        ResetClients clients = new ResetClients(arguments[0], arguments[1]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(line.equals("send") ? clients.send() : clients.poll());
            System.out.flush();
        }
        System.exit(0); // without a farewell to the broker, which may have ended
    }

    private String send() throws Exception {
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", 0, null, "sent");
        return Long.toString(producer.send(record).get().offset());
    }

    private String poll() {
        try {
            while (true) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                    return each.value() + " at " + each.offset();
                }
            }
        } catch (KafkaException error) {
            return error.getClass().getSimpleName();
        }
    }
}
