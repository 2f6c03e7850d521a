package outside;

import static outside.InsideOfTheBroker.inside;
import static outside.InsideOfTheBroker.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.metadata.KRaftMetadataCache;

/** The metadata of a cluster of ours as Kafka's object; each call reads them again. */
final class OurMetadata {
    private final OurCluster cluster;
    private final Facts facts;

    private OurMetadata(OurCluster cluster) {
        this.cluster = cluster;
        facts = new Facts(cluster);
    }

    static KRaftMetadataCache of(OurCluster cluster) {
        return object(KRaftMetadataCache.class, new OurMetadata(cluster)::result);
    }

    private Object result(Method method, Object[] given) {
        return switch (method.getName()) {
            case "getAllTopics" -> facts.topicIds().keySet();
            case "numPartitions" -> facts.partitions((String) given[0]);
            case "getLeaderAndIsr" -> facts.leaderAndIsr(key(given));
            case "getTopicId" -> facts.topicIds().getOrDefault(given[0], Uuid.ZERO_UUID);
            case "getTopicName" -> Optional.ofNullable(names().get(given[0]));
            case "topicNamesToIds" -> facts.topicIds();
            case "topicIdsToNames" -> names();
            case "contains" -> given[0] instanceof TopicPartition key
                ? facts.partition(key).isPresent()
                : facts.topicIds().containsKey(given[0]);
            case "hasAliveBroker" -> cluster.runs((int) given[0]);
            case "isBrokerFenced", "isBrokerShuttingDown" -> !cluster.runs((int) given[0]);
            case "getAliveBrokerEpoch" -> epoch((int) given[0]);
            case "getAliveBrokerNodes", "getBrokerNodes" -> facts.runningNodes(name(given[0]));
            case "getAliveBrokerNode" -> running((int) given[0], name(given[1]));
            case "getPartitionLeaderEndpoint" -> facts.leaderAndIsr(key(given))
                .flatMap(each -> running(each.leader(), name(given[2])));
            default -> inside(method);
        };
    }

    private static TopicPartition key(Object[] given) {
        return new TopicPartition((String) given[0], (int) given[1]);
    }

    private static String name(Object listener) {
        return ((ListenerName) listener).value();
    }

    private Optional<Node> running(int node, String listener) {
        return facts.runningNodes(listener).stream().filter(each -> each.id() == node).findFirst();
    }

    private Optional<Long> epoch(int node) {
        for (JsonNode each : cluster.facts().get("nodes")) {
            if (each.get("id").asInt() == node) {
                return Optional.of(each.get("epoch").asLong());
            }
        }
        return Optional.empty();
    }

    private Map<Uuid, String> names() {
        Map<Uuid, String> names = new HashMap<>();
        facts.topicIds().forEach((name, id) -> names.put(id, name));
        return names;
    }
}
