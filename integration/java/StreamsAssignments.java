import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentMemberSpec;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.assignor.TopologyDescriber;

/**
 * Reads streams groups, a JSON object each, and prints the assignments of Kafka's sticky assignor.
 *
 *   {"replicas": 1, "subtopologies": {ID: {"tasks": 3, "stateful": true}},
 *    "members": [{"id": ID, "process": ID, "active": {ID: [0]}, "standby": {}}]}
 */
public class StreamsAssignments {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(JSON.writeValueAsString(assign(JSON.readTree(line))));
        }
    }

    private static Object assign(JsonNode group) {
        Map<String, AssignmentMemberSpec> members = new HashMap<>();
        for (JsonNode each : group.get("members")) {
            members.put(each.get("id").asText(), new AssignmentMemberSpec(
                Optional.empty(), Optional.empty(),
                tasks(each.get("active")), tasks(each.get("standby")), Map.of(),
                each.get("process").asText(), Map.of(), Map.of(), Map.of()));
        }
        Map<String, String> configs = Map.of("num.standby.replicas", group.get("replicas").asText());
        Map<String, Object> shown = new TreeMap<>();
        new StickyTaskAssignor()
            .assign(new GroupSpecImpl(members, configs), describer(group.get("subtopologies")))
            .members()
            .forEach((id, assigned) -> shown.put(id, List.of(
                sorted(assigned.activeTasks()),
                sorted(assigned.standbyTasks()),
                sorted(assigned.warmupTasks()))));
        return shown;
    }

    private static TopologyDescriber describer(JsonNode subtopologies) {
        return new TopologyDescriber() {
            public List<String> subtopologies() {
                List<String> ids = new ArrayList<>();
                subtopologies.fieldNames().forEachRemaining(ids::add);
                return ids;
            }
            public int maxNumInputPartitions(String id) {
                return subtopologies.get(id).get("tasks").asInt();
            }
            public boolean isStateful(String id) {
                return subtopologies.get(id).get("stateful").asBoolean();
            }
        };
    }

    private static Map<String, Set<Integer>> tasks(JsonNode listed) {
        Map<String, Set<Integer>> tasks = new HashMap<>();
        listed.properties().forEach(entry -> {
            Set<Integer> partitions = new HashSet<>();
            entry.getValue().forEach(each -> partitions.add(each.asInt()));
            tasks.put(entry.getKey(), partitions);
        });
        return tasks;
    }

    private static Object sorted(Map<String, Set<Integer>> tasks) {
        Map<String, Set<Integer>> sorted = new TreeMap<>();
        tasks.forEach((id, partitions) -> sorted.put(id, new TreeSet<>(partitions)));
        return sorted;
    }
}
