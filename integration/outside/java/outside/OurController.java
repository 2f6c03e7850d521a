package outside;

import static outside.InsideOfTheBroker.inside;
import static outside.InsideOfTheBroker.object;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.raft.KafkaRaftManager;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.controller.Controller;
import org.apache.kafka.controller.ResultOrError;
import org.apache.kafka.raft.LogOffsetMetadata;
import org.apache.kafka.raft.RaftLog;

/** The controller of a cluster of ours as the object that Kafka's tests have for it. */
public record OurController(Facts facts, KafkaConfig config) {
    /** That of a cluster. */
    public static ControllerServer of(OurCluster cluster, KafkaConfig config) {
        return new OurController(new Facts(cluster), config).server();
    }

    private ControllerServer server() {
        Controller controller = controller();
        KafkaRaftManager<?> raft = raft();
        return object(ControllerServer.class, (method, given) -> switch (method.getName()) {
            case "config" -> config;
            case "controller" -> controller;
            case "raftManager" -> raft;
            default -> inside(method);
        });
    }

    private Controller controller() {
        return object(Controller.class, (method, given) -> switch (method.getName()) {
            case "findAllTopicIds" -> CompletableFuture.completedFuture(facts.topicIds());
            case "findTopicIds" -> CompletableFuture.completedFuture(ids((Collection<?>) given[1]));
            case "isActive" -> true;
            default -> inside(method);
        });
    }

    private Map<String, ResultOrError<Uuid>> ids(Collection<?> names) {
        Map<String, Uuid> known = facts.topicIds();
        Map<String, ResultOrError<Uuid>> found = new HashMap<>();
        for (Object name : names) {
            found.put((String) name, known.containsKey(name)
                ? new ResultOrError<>(known.get(name))
                : new ResultOrError<>(new ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION)));
        }
        return found;
    }

    /** Its log has nothing that a node has not applied. */
    private static KafkaRaftManager<?> raft() {
        RaftLog log = object(RaftLog.class, (method, given) ->
            method.getName().equals("endOffset") ? new LogOffsetMetadata(0) : inside(method));
        return object(KafkaRaftManager.class, (method, given) ->
            method.getName().equals("raftLog") ? log : inside(method));
    }
}
