import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.coordinator.group.streams.CurrentAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;

/**
 * Reads members of streams groups, a JSON object each, and prints them after a reconciliation.
 *
 *   {"process": ID, "state": 1, "epochs": [member, previous], "assigned": TASKS, "pending": TASKS,
 *    "target_epoch": 3, "target": TASKS, "owned": TASKS or null,
 *    "owners": the processes of the active, standby and warm-up tasks, each {"ID-PARTITION": [ID]}}
 *
 * TASKS is a list of the active, standby and warm-up tasks, each {ID: {PARTITION: epoch}}.
 */
public class StreamsReconciliation {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(JSON.writeValueAsString(reconcile(JSON.readTree(line))));
        }
    }

    private static Object reconcile(JsonNode input) {
        JsonNode owners = input.get("owners");
        StreamsGroupMember member = new StreamsGroupMember.Builder("m")
            .setProcessId(input.get("process").asText())
            .setState(MemberState.fromValue((byte) input.get("state").asInt()))
            .setMemberEpoch(input.get("epochs").get(0).asInt())
            .setPreviousMemberEpoch(input.get("epochs").get(1).asInt())
            .setAssignedTasks(withEpochs(input.get("assigned")))
            .setTasksPendingRevocation(withEpochs(input.get("pending")))
            .build();
        BiFunction<String, Integer, Set<String>> active = processes(owners.get(0));
        try {
            return shown(new CurrentAssignmentBuilder(member)
                .withTargetAssignment(input.get("target_epoch").asInt(), tasks(input.get("target")))
                .withCurrentActiveTaskProcessId((id, partition) ->
                    active.apply(id, partition).stream().findFirst().orElse(null))
                .withCurrentStandbyTaskProcessIds(processes(owners.get(1)))
                .withCurrentWarmupTaskProcessIds(processes(owners.get(2)))
                .withOwnedAssignment(input.get("owned").isNull() ? null : tasks(input.get("owned")))
                .build());
        } catch (FencedMemberEpochException exception) {
            return exception.getMessage();
        }
    }

    private static BiFunction<String, Integer, Set<String>> processes(JsonNode owners) {
        return (id, partition) -> {
            Set<String> processes = new HashSet<>();
            JsonNode listed = owners.get(id + "-" + partition);
            if (listed != null) listed.forEach(each -> processes.add(each.asText()));
            return processes;
        };
    }

    private static Object shown(StreamsGroupMember member) {
        return List.of((int) member.state().value(), member.memberEpoch(),
            member.previousMemberEpoch(), shown(member.assignedTasks()),
            shown(member.tasksPendingRevocation()));
    }

    private static Object shown(TasksTupleWithEpochs tasks) {
        Map<String, Object> active = new TreeMap<>();
        tasks.activeTasksWithEpochs().forEach((id, epochs) -> active.put(id, new TreeMap<>(epochs)));
        List<Object> shown = new ArrayList<>(List.of(active));
        for (Map<String, Set<Integer>> each : List.of(tasks.standbyTasks(), tasks.warmupTasks())) {
            Map<String, Object> sorted = new TreeMap<>();
            each.forEach((id, partitions) -> sorted.put(id, new TreeSet<>(partitions)));
            shown.add(sorted);
        }
        return shown;
    }

    private static TasksTupleWithEpochs withEpochs(JsonNode roles) {
        TasksTuple tasks = tasks(roles);
        return new TasksTupleWithEpochs(
            epochs(roles.get(0)), tasks.standbyTasks(), tasks.warmupTasks());
    }

    private static TasksTuple tasks(JsonNode roles) {
        List<Map<String, Set<Integer>>> all = new ArrayList<>();
        for (JsonNode role : roles) {
            Map<String, Set<Integer>> tasks = new HashMap<>();
            epochs(role).forEach((id, epochs) -> tasks.put(id, new HashSet<>(epochs.keySet())));
            all.add(tasks);
        }
        return new TasksTuple(all.get(0), all.get(1), all.get(2));
    }

    private static Map<String, Map<Integer, Integer>> epochs(JsonNode role) {
        Map<String, Map<Integer, Integer>> epochs = new HashMap<>();
        role.properties().forEach(entry -> {
            Map<Integer, Integer> partitions = epochs.computeIfAbsent(entry.getKey(), k -> new HashMap<>());
            entry.getValue().properties().forEach(each ->
                partitions.put(Integer.valueOf(each.getKey()), each.getValue().asInt()));
        });
        return epochs;
    }
}
