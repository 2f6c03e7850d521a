// Producers, one of them transactional, and a consumer of a group that stay connected. Each line of
// stdin is a command, and stdout gets a line with its result.

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
    private final Map<String, Object> transactions;
    private KafkaProducer<String, String> transactional;
    private final KafkaConsumer<String, String> consumer;

    private ResetClients(String bootstrap, String groupProtocol) {
        Map<String, Object> servers = Map.of("bootstrap.servers", bootstrap);
        producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer());
        transactions =
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "transactional.id", "billing",
                        "delivery.timeout.ms", "30000",
                        "request.timeout.ms", "10000",
                        "max.block.ms", "30000");
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
            System.out.println(clients.run(line));
            System.out.flush();
        }
        System.exit(0); // without a farewell to the broker, which may have ended
    }

    private String run(String command) throws Exception {
        return switch (command) {
            case "send" -> send();
            case "poll" -> poll();
            case "transact" -> transact();
            case "abort" -> abort();
            case "close" -> close();
            default -> throw new IllegalArgumentException(command);
        };
    }

    private String transact() {
        try {
            if (transactional == null) {
                transactional =
                        new KafkaProducer<>(
                                transactions, new StringSerializer(), new StringSerializer());
                transactional.initTransactions();
            }
            transactional.beginTransaction();
            transactional.send(new ProducerRecord<>("orders", 0, null, "paid"));
            transactional.commitTransaction();
            return "committed";
        } catch (KafkaException error) {
            return nameOf(error);
        }
    }

    private String close() {
        transactional.close(Duration.ZERO);
        transactional = null;
        return "closed";
    }

    private String abort() {
        try {
            transactional.abortTransaction();
            return "aborted";
        } catch (KafkaException error) {
            return nameOf(error);
        }
    }

    /** The class of an error, and that of its cause. */
    private static String nameOf(Throwable error) {
        String name = error.getClass().getSimpleName();
        return error.getCause() == null
                ? name
                : name + " of " + error.getCause().getClass().getSimpleName();
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
