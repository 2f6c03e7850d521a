// Share consumers by name. Each line of stdin is a command, and stdout gets a line with its result.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Executes commands of share consumers.
 *
 * <pre>
 *   open NAME KEY=VALUE...           a consumer with these settings
 *   subscribe NAME TOPIC...          subscription NAME | unsubscribe NAME
 *   poll NAME COUNT                  poll until there are COUNT records, for at most 30 s
 *   once NAME MILLISECONDS           poll once
 *   acknowledge NAME OFFSET [TYPE]   a record that was polled
 *   at NAME PARTITION OFFSET TYPE    a record by its position in the first topic
 *   commitSync NAME | commitAsync NAME | callbacks NAME | lock NAME | wakeup NAME | close NAME
 * </pre>
 *
 * Records are printed as OFFSET#DELIVERY_COUNT, and an exception by the name of its class.
 */
public final class ShareConsumers {
    private static final long WITHIN_MS = 30_000;

    private final String bootstrap;
    private final Map<String, Member> members = new HashMap<>();

    private ShareConsumers(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        ShareConsumers consumers = new ShareConsumers(arguments[0]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(consumers.run(List.of(line.split(" "))));
            System.out.flush();
        }
        System.exit(0);
    }

    private String run(List<String> words) {
        try {
            if (words.get(0).equals("open")) {
                Map<String, Object> settings = new HashMap<>();
                settings.put("bootstrap.servers", bootstrap);
                words.subList(2, words.size()).forEach(word ->
                    settings.put(word.substring(0, word.indexOf('=')),
                        word.substring(word.indexOf('=') + 1)));
                members.put(words.get(1), new Member(settings));
                return "ok";
            }
            Object result = members.get(words.get(1))
                .run(words.get(0), words.subList(2, words.size()));
            return result == null ? "ok" : String.valueOf(result);
        } catch (Exception error) {
            return error.getClass().getSimpleName();
        }
    }

    /** One consumer, the records that it has polled, and the results of its callback. */
    private static final class Member {
        private final KafkaShareConsumer<String, String> consumer;
        private final Map<Long, ConsumerRecord<String, String>> records = new TreeMap<>();
        private final List<String> callbacks = new ArrayList<>();
        private String topic;

        Member(Map<String, Object> settings) {
            var strings = new StringDeserializer();
            consumer = new KafkaShareConsumer<>(settings, strings, strings);
            consumer.setAcknowledgementCommitCallback((offsets, error) -> callbacks.add(
                offsets(offsets.values()) + ": " + outcome(error)));
        }

        Object run(String command, List<String> words) {
            switch (command) {
                case "subscribe" -> {
                    topic = words.get(0);
                    consumer.subscribe(words);
                }
                case "unsubscribe" -> consumer.unsubscribe();
                case "subscription" -> {
                    return new TreeSet<>(consumer.subscription());
                }
                case "poll" -> {
                    return poll(Integer.parseInt(words.get(0)));
                }
                case "once" -> {
                    return added(consumer.poll(Duration.ofMillis(Long.parseLong(words.get(0)))));
                }
                case "acknowledge" -> acknowledge(records.get(Long.parseLong(words.get(0))), words);
                case "at" -> consumer.acknowledge(topic, Integer.parseInt(words.get(0)),
                    Long.parseLong(words.get(1)), AcknowledgeType.valueOf(words.get(2)));
                case "commitSync" -> {
                    return committed();
                }
                case "commitAsync" -> consumer.commitAsync();
                case "callbacks" -> {
                    return callbacks();
                }
                case "lock" -> {
                    return consumer.acquisitionLockTimeoutMs().map(String::valueOf).orElse("none");
                }
                case "wakeup" -> consumer.wakeup();
                case "close" -> consumer.close();
                default -> throw new IllegalArgumentException(command);
            }
            return null;
        }

        private void acknowledge(ConsumerRecord<String, String> record, List<String> words) {
            if (words.size() == 1) consumer.acknowledge(record);
            else consumer.acknowledge(record, AcknowledgeType.valueOf(words.get(1)));
        }

        private String poll(int count) {
            long deadline = System.currentTimeMillis() + WITHIN_MS;
            List<String> printed = new ArrayList<>();
            for (int seen = 0; seen < count && System.currentTimeMillis() < deadline; ) {
                String added = added(consumer.poll(Duration.ofMillis(100)));
                if (!added.equals("nothing")) {
                    printed.add(added);
                    seen += added.split(" ").length;
                }
            }
            return printed.isEmpty() ? "nothing" : String.join(" | ", printed);
        }

        private String added(ConsumerRecords<String, String> polled) {
            List<String> printed = new ArrayList<>();
            for (ConsumerRecord<String, String> each : polled) {
                records.put(each.offset(), each);
                printed.add(each.offset() + "#" + each.deliveryCount().map(String::valueOf).orElse("?"));
            }
            return printed.isEmpty() ? "nothing" : String.join(" ", printed);
        }

        private String committed() {
            Map<String, String> results = new TreeMap<>();
            consumer.commitSync().forEach((partition, error) ->
                results.put(name(partition), outcome(error.orElse(null))));
            return results.isEmpty() ? "nothing" : results.toString();
        }

        /** The results of the callback so far; at least one, and they are forgotten. */
        private String callbacks() {
            long deadline = System.currentTimeMillis() + WITHIN_MS;
            while (callbacks.isEmpty() && System.currentTimeMillis() < deadline) {
                added(consumer.poll(Duration.ofMillis(50)));
            }
            String printed = String.join(", ", callbacks);
            callbacks.clear();
            return printed;
        }

        private static String name(TopicIdPartition partition) {
            return String.valueOf(partition.partition());
        }

        private static String offsets(Collection<? extends Collection<Long>> sets) {
            TreeSet<Long> all = new TreeSet<>();
            sets.forEach(all::addAll);
            return all.toString();
        }

        private static String outcome(Exception error) {
            return error == null ? "ok" : error.getClass().getSimpleName();
        }
    }
}
