import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.HashSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Reads groups, a line each, and prints the assignments of Kafka's assignors.
 *
 *   ASSIGNOR TYPE TOPIC:COUNT,... MEMBER;INSTANCE;TOPIC,...;TOPIC=P.P,... ...
 *
 * A topic is the two halves of its id in hexadecimal; "-" is an empty list.
 */
public class Assignments {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(assign(line.split(" ")));
        }
    }

    private static String assign(String[] words) {
        ConsumerGroupPartitionAssignor assignor =
            words[0].equals("range") ? new RangeAssignor() : new UniformAssignor();
        Map<Uuid, Integer> counts = new HashMap<>();
        for (String each : words[2].split(",")) {
            counts.put(topic(each.split(":")[0]), Integer.valueOf(each.split(":")[1]));
        }
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        for (int i = 3; i < words.length; i++) {
            String[] parts = words[i].split(";");
            Set<Uuid> subscribed = new HashSet<>();
            for (String each : list(parts[2])) subscribed.add(topic(each));
            Map<Uuid, Set<Integer>> assigned = new HashMap<>();
            for (String each : list(parts[3])) {
                Uuid id = topic(each.split("=")[0]);
                for (String partition : each.split("=")[1].split("\\.")) {
                    int number = Integer.parseInt(partition);
                    assigned.putIfAbsent(id, new HashSet<>());
                    assigned.get(id).add(number);
                    owners.computeIfAbsent(id, k -> new HashMap<>()).put(number, parts[0]);
                }
            }
            Optional<String> instance =
                parts[1].equals("-") ? Optional.empty() : Optional.of(parts[1]);
            members.put(parts[0], new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), instance, subscribed, new Assignment(assigned)));
        }
        Map<String, MemberAssignment> result = assignor.assign(
            new GroupSpecImpl(Collections.unmodifiableMap(members),
                SubscriptionType.valueOf(words[1]), owners),
            new SubscribedTopicDescriber() {
                public int numPartitions(Uuid id) { return counts.getOrDefault(id, -1); }
                public Set<String> racksForPartition(Uuid id, int partition) { return Set.of(); }
            }
        ).members();
        return shown(result);
    }

    private static String shown(Map<String, MemberAssignment> result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, MemberAssignment> member : new TreeMap<>(result).entrySet()) {
            Map<String, TreeSet<Integer>> topics = new TreeMap<>();
            member.getValue().partitions().forEach((id, partitions) -> {
                if (!partitions.isEmpty()) topics.put(name(id), new TreeSet<>(partitions));
            });
            if (!topics.isEmpty()) text.append(member.getKey()).append(topics).append(' ');
        }
        return text.toString().strip();
    }

    private static String[] list(String text) {
        return text.equals("-") ? new String[0] : text.split(",");
    }

    private static Uuid topic(String text) {
        return new Uuid(
            Long.parseUnsignedLong(text.substring(0, 16), 16),
            Long.parseUnsignedLong(text.substring(16), 16));
    }

    private static String name(Uuid id) {
        return String.format("%016x%016x",
            id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
