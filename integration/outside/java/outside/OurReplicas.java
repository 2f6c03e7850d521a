package outside;

import static outside.InsideOfTheBroker.inside;
import static outside.InsideOfTheBroker.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.util.List;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** The replicas of a node of ours as Kafka's objects; of a log only its offsets are known. */
record OurReplicas(Facts facts, int node, File directory) {
    ReplicaManager replicaManager() {
        return object(ReplicaManager.class, (method, given) -> switch (method.getName()) {
            case "logManager" -> logManager();
            case "localLog" -> log((TopicPartition) given[0]);
            case "onlinePartition" -> partition((TopicPartition) given[0]);
            default -> inside(method);
        });
    }

    LogManager logManager() {
        return object(LogManager.class, (method, given) -> switch (method.getName()) {
            case "getLog" -> log((TopicPartition) given[0]);
            case "getLog$default$2" -> false;
            case "liveLogDirs" -> CollectionConverters.asScala(List.of(directory)).toSeq();
            default -> inside(method);
        });
    }

    private Option<UnifiedLog> log(TopicPartition key) {
        if (facts.replica(key, node).isEmpty()) {
            return Option.empty();
        }
        return Option.apply(object(UnifiedLog.class, (method, given) -> {
            String field = switch (method.getName()) {
                case "logStartOffset" -> "log_start_offset";
                case "logEndOffset" -> "log_end_offset";
                case "highWatermark" -> "high_watermark";
                default -> null;
            };
            return field == null
                ? inside(method)
                : facts.replica(key, node).orElseThrow().get(field).asLong();
        }));
    }

    private Option<Partition> partition(TopicPartition key) {
        if (facts.replica(key, node).isEmpty()) {
            return Option.empty();
        }
        JsonNode found = facts.partition(key).orElseThrow();
        int leader = found.get("leader").asInt();
        return Option.apply(object(Partition.class, (method, given) -> switch (method.getName()) {
            case "leaderLogIfLocal" -> leader == node ? log(key) : Option.empty();
            case "leaderReplicaIdOpt" -> leader < 0 ? Option.empty() : Option.apply(leader);
            case "getLeaderEpoch" -> found.get("leader_epoch").asInt();
            default -> inside(method);
        }));
    }
}
