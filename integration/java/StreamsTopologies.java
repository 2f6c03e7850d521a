import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValueJsonConverter;
import org.apache.kafka.coordinator.group.streams.StreamsTopology;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredInternalTopic;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredSubtopology;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredTopology;
import org.apache.kafka.coordinator.group.streams.topics.EndpointToPartitionsManager;
import org.apache.kafka.coordinator.group.streams.topics.InternalTopicManager;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData.TopicPartition;
import org.slf4j.LoggerFactory;

/**
 * Reads topologies, a JSON object each, and prints their internal topics and tasks.
 *
 *   {"topology": a StreamsGroupTopologyValue, "topics": {NAME: partitions}}
 *
 * With the tasks of all partitions it also prints the topic partitions that they read.
 */
public class StreamsTopologies {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(JSON.writeValueAsString(configure(JSON.readTree(line))));
        }
    }

    private static Object configure(JsonNode input) throws Exception {
        CoordinatorMetadataImage image = image(input.get("topics"));
        try {
            StreamsTopology topology = StreamsTopology.fromRecord(
                StreamsGroupTopologyValueJsonConverter.read(input.get("topology"), (short) 0));
            ConfiguredTopology configured = InternalTopicManager.configureTopics(
                LoggerFactory.getLogger("streams"), "g", "m", 5, topology, image, Time.SYSTEM);
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("epoch", configured.topologyEpoch());
            shown.put("hash", configured.metadataHash());
            shown.put("required", new ArrayList<>(topology.requiredTopics()));
            shown.put("status", configured.topicConfigurationException()
                .map(each -> List.of((int) each.status().code(), each.getMessage())).orElse(List.of()));
            shown.put("subtopologies", configured.subtopologies().map(each -> {
                List<Object> all = new ArrayList<>();
                each.forEach((id, subtopology) -> all.add(subtopology(id, subtopology)));
                return all;
            }).orElse(null));
            shown.put("create", configured.internalTopicsToBeCreated().entrySet().stream().map(each ->
                Arrays.asList(each.getKey(), each.getValue().numPartitions(),
                    (int) each.getValue().replicationFactor(), each.getValue().configs().stream()
                        .map(config -> List.of(config.name(), config.value())).toList())).toList());
            shown.put("partitions", configured.isReady() ? partitions(configured, image) : null);
            return shown;
        } catch (RuntimeException exception) {
            Errors error = Errors.forException(exception);
            String message = error == Errors.UNKNOWN_SERVER_ERROR ? null : exception.getMessage();
            return Arrays.asList(error.name(), message);
        }
    }

    private static Object subtopology(String id, ConfiguredSubtopology each) {
        return List.of(id, each.numberOfTasks(), new TreeSet<>(each.sourceTopics()),
            new TreeSet<>(each.repartitionSinkTopics()),
            topics(each.repartitionSourceTopics().values()),
            topics(each.stateChangelogTopics().values()));
    }

    private static Object topics(Collection<ConfiguredInternalTopic> topics) {
        return topics.stream().map(each -> List.of(each.name(), each.numberOfPartitions(),
            each.replicationFactor().map(Short::intValue).orElse(0),
            each.topicConfigs().entrySet().stream()
                .map(config -> List.of(config.getKey(), config.getValue())).toList())).toList();
    }

    /** The partitions of all tasks but the first ones of each subtopology. */
    private static Object partitions(ConfiguredTopology topology, CoordinatorMetadataImage image)
            throws ReflectiveOperationException {
        Map<String, Set<Integer>> tasks = new HashMap<>();
        topology.subtopologies().get().forEach((id, subtopology) -> {
            Set<Integer> partitions = new HashSet<>();
            for (int i = 1; i < subtopology.numberOfTasks(); i++) partitions.add(i);
            tasks.put(id, partitions);
        });
        Method method = EndpointToPartitionsManager.class.getDeclaredMethod(
            "topicPartitions", Map.class, Map.class, CoordinatorMetadataImage.class);
        method.setAccessible(true);
        List<Object> shown = new ArrayList<>();
        for (Object each : (List<?>) method.invoke(null, tasks, topology.subtopologies().get(), image)) {
            TopicPartition of = (TopicPartition) each;
            shown.add(List.of(of.topic(), new TreeSet<>(of.partitions())));
        }
        return shown;
    }

    private static CoordinatorMetadataImage image(JsonNode topics) {
        return proxy(CoordinatorMetadataImage.class, "topicMetadata", name -> {
            JsonNode count = topics.get((String) name);
            return Optional.ofNullable(count).map(each -> proxy(
                CoordinatorMetadataImage.TopicMetadata.class, "partitionCount", none -> each.asInt()));
        });
    }

    private static <T> T proxy(
            Class<T> type, String method, java.util.function.Function<Object, Object> answer) {
        return type.cast(Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> {
                if (!called.getName().equals(method)) {
                    throw new UnsupportedOperationException(called.getName());
                }
                return answer.apply(arguments == null ? null : arguments[0]);
            }));
    }
}
