package outside;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.LeaderAndIsr;

/** What a cluster of ours says about its nodes and topics, as values of Kafka. */
record Facts(OurCluster cluster) {
    /** The ids of all topics, by name. */
    Map<String, Uuid> topicIds() {
        Map<String, Uuid> ids = new HashMap<>();
        for (JsonNode each : cluster.facts().get("topics")) {
            UUID id = UUID.fromString(each.get("id").asText());
            ids.put(
                each.get("name").asText(),
                new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        }
        return ids;
    }

    /** How many partitions a topic has. */
    Optional<Integer> partitions(String topic) {
        return find(cluster.facts().get("topics"), "name", topic)
            .map(each -> each.get("partitions").size());
    }

    /** A partition. */
    Optional<JsonNode> partition(TopicPartition key) {
        return find(cluster.facts().get("topics"), "name", key.topic())
            .flatMap(each -> find(each.get("partitions"), "partition", "" + key.partition()));
    }

    /** A partition's replica, while its node runs. */
    Optional<JsonNode> replica(TopicPartition key, int node) {
        return partition(key)
            .flatMap(each -> find(each.get("replicas"), "node", "" + node))
            .filter(each -> each.get("log_end_offset").isNumber());
    }

    /** A partition's leader and in-sync replicas; its partition epoch is not known. */
    Optional<LeaderAndIsr> leaderAndIsr(TopicPartition key) {
        return partition(key).map(each -> {
            List<Integer> isr = new ArrayList<>();
            each.get("isr").forEach(node -> isr.add(node.asInt()));
            return new LeaderAndIsr(each.get("leader").asInt(), isr);
        });
    }

    /** The nodes that run, with the address of a listener. */
    List<Node> runningNodes(String listener) {
        List<Node> nodes = new ArrayList<>();
        for (JsonNode each : cluster.facts().get("nodes")) {
            int id = each.get("id").asInt();
            if (each.get("state").asText().equals("running")) {
                nodes.add(new Node(id, "localhost", cluster.port(id, listener)));
            }
        }
        return nodes;
    }

    private static Optional<JsonNode> find(JsonNode elements, String field, String value) {
        for (JsonNode each : elements) {
            if (each.get(field).asText().equals(value)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }
}
