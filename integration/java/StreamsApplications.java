// Instances of Kafka Streams applications by name. Each line of stdin is a command, and stdout gets a
// line with its result.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.HostInfo;
import org.apache.kafka.streams.state.Stores;

/**
 * Executes commands of instances.
 *
 * <pre>
 *   start NAME TOPOLOGY IN OUT KEY=VALUE...   an instance with these settings; on.failure is its
 *                                             response to an exception: SHUTDOWN_CLIENT or another
 *   tasks NAME                                its active tasks, "|" and its standby tasks
 *   state NAME                                the state of the instance
 *   failure NAME                              the exception that ended a thread
 *   hosts NAME WORD                           the instances with the count of a word, active first
 *   close NAME [REMAIN_IN_GROUP]
 * </pre>
 *
 * The topology "count" counts the words of IN with a repartition topic and a changelog topic and
 * writes each count to OUT, "copy" copies IN, and "join" joins the two topics of IN. The word
 * "poison" makes the instance fail. An exception is printed by the name of its class and its message.
 */
public final class StreamsApplications {
    private static final Duration WITHIN = Duration.ofSeconds(30);

    private final String bootstrap;
    private final Map<String, Instance> instances = new HashMap<>();

    private StreamsApplications(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        StreamsApplications applications = new StreamsApplications(arguments[0]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(applications.run(List.of(line.split(" "))));
            System.out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private String run(List<String> words) {
        try {
            if (words.get(0).equals("start")) {
                start(words.get(1), words.subList(2, 5), words.subList(5, words.size()));
                return "ok";
            }
            return instances.get(words.get(1)).run(words.get(0), words.subList(2, words.size()));
        } catch (Exception error) {
            return printed(error);
        }
    }

    private void start(String name, List<String> topology, List<String> settings) {
        Properties all = new Properties();
        all.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        all.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
        all.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        all.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        all.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        all.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        for (String setting : settings) {
            int at = setting.indexOf('=');
            all.put(setting.substring(0, at), setting.substring(at + 1));
        }
        Object response = all.remove("on.failure");
        Topology built = topology(topology.get(0), topology.get(1), topology.get(2));
        Instance instance = new Instance(built, all, StreamThreadExceptionResponse.valueOf(
            response == null ? "SHUTDOWN_CLIENT" : response.toString()));
        instances.put(name, instance);
        instance.streams.start();
    }

    private static Topology topology(String name, String in, String out) {
        StreamsBuilder builder = new StreamsBuilder();
        String[] topics = in.split(",");
        KStream<String, String> words = builder.<String, String>stream(topics[0])
            .peek((key, word) -> {
                if (word.equals("poison")) throw new IllegalArgumentException(word);
            });
        switch (name) {
            case "count" -> words
                .groupBy((key, word) -> word)
                .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                    .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
                .toStream()
                .to(out, Produced.with(Serdes.String(), Serdes.Long()));
            case "copy" -> words.to(out);
            case "join" -> words
                .join(
                    builder.<String, String>stream(topics[1]), (one, other) -> one + other,
                    JoinWindows.ofTimeDifferenceWithNoGrace(WITHIN))
                .to(out);
            default -> throw new IllegalArgumentException(name);
        }
        return builder.build();
    }

    private static String printed(Throwable error) {
        return error.getClass().getSimpleName() + ": " + String.valueOf(error.getMessage()).strip();
    }

    /** One instance, and the exception that ended one of its threads. */
    private static final class Instance {
        private final KafkaStreams streams;
        private volatile Throwable failure;

        Instance(Topology topology, Properties settings, StreamThreadExceptionResponse response) {
            streams = new KafkaStreams(topology, settings);
            streams.setUncaughtExceptionHandler(error -> {
                failure = error;
                return response;
            });
        }

        String run(String command, List<String> words) {
            return switch (command) {
                case "tasks" ->
                    tasks(ThreadMetadata::activeTasks) + "|" + tasks(ThreadMetadata::standbyTasks);
                case "state" -> streams.state().toString();
                case "failure" -> failure == null ? "none" : printed(failure);
                case "hosts" -> hosts(words.get(0));
                case "close" -> close(words.isEmpty() ? "LEAVE_GROUP" : words.get(0));
                default -> throw new IllegalArgumentException(command);
            };
        }

        private String tasks(Function<ThreadMetadata, Set<TaskMetadata>> of) {
            return streams.metadataForLocalThreads().stream()
                .flatMap(thread -> of.apply(thread).stream())
                .map(task -> task.taskId().toString())
                .sorted()
                .collect(Collectors.joining(" "));
        }

        private String hosts(String word) {
            var found = streams.queryMetadataForKey("counts", word, new StringSerializer());
            Set<String> standby = found.standbyHosts().stream()
                .map(HostInfo::toString).collect(Collectors.toCollection(TreeSet::new));
            return found.activeHost() + " " + standby;
        }

        private String close(String operation) {
            boolean closed = streams.close(CloseOptions.timeout(WITHIN)
                .withGroupMembershipOperation(GroupMembershipOperation.valueOf(operation)));
            return closed ? "ok" : "not within " + WITHIN;
        }
    }
}
