package outside;

import static outside.InsideOfTheBroker.inside;
import static outside.InsideOfTheBroker.object;

import java.lang.reflect.Method;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import kafka.network.SocketServer;
import kafka.server.BrokerServer;
import kafka.server.KafkaApis;
import kafka.server.KafkaConfig;
import kafka.server.SharedServer;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.image.loader.MetadataLoader;
import org.apache.kafka.metadata.BrokerState;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.server.BrokerLifecycleManager;

/** A node of ours as the object that Kafka's tests have for a broker of their own process. */
public final class OurBroker {
    private final OurCluster cluster;
    private final KafkaConfig config;
    private final int id;
    private final Runnable startCluster;
    private final OurReplicas replicas;
    private final KRaftMetadataCache metadata;

    private OurBroker(OurCluster cluster, KafkaConfig config, int id, Runnable startCluster) {
        this.cluster = cluster;
        this.config = config;
        this.id = id;
        this.startCluster = startCluster;
        replicas = new OurReplicas(new Facts(cluster), id, cluster.directory(id));
        metadata = OurMetadata.of(cluster);
    }

    /** The node with that id; its startup runs `startCluster` first. */
    public static BrokerServer of(
            OurCluster cluster, KafkaConfig config, int id, Runnable startCluster) {
        return object(BrokerServer.class, new OurBroker(cluster, config, id, startCluster)::result);
    }

    private Object result(Method method, Object[] given) {
        switch (method.getName()) {
            case "config": return config;
            case "clusterId": return cluster.facts().get("cluster_id").asText();
            case "boundPort": return cluster.port(id, ((ListenerName) given[0]).value());
            case "metadataCache": return metadata;
            case "groupCoordinator": return coordinator();
            case "socketServer": return sockets();
            case "sharedServer": return shared();
            case "dataPlaneRequestProcessor": return apis();
            case "lifecycleManager": return lifecycle();
            case "replicaManager": return replicas.replicaManager();
            case "logManager": return replicas.logManager();
            case "startup": startCluster.run(); cluster.start(id); return null;
            case "shutdown": cluster.shutDown(id); return null;
            case "awaitShutdown": return null;
            case "isShutdown": return !cluster.runs(id);
            case "brokerState":
                return cluster.runs(id) ? BrokerState.RUNNING : BrokerState.NOT_RUNNING;
            default:
                boolean logs = method.getDeclaringClass().getSimpleName().equals("Logging");
                return logs ? null : inside(method);
        }
    }

    private SocketServer sockets() {
        return object(SocketServer.class, (method, given) -> method.getName().equals("boundPort")
            ? cluster.port(id, ((ListenerName) given[0]).value())
            : inside(method));
    }

    private KafkaApis apis() {
        return object(KafkaApis.class, (method, given) -> switch (method.getName()) {
            case "metadataCache" -> metadata;
            case "brokerId" -> id;
            case "isConsumerGroupProtocolEnabled" -> true;
            case "clusterId" -> cluster.facts().get("cluster_id").asText();
            default -> inside(method);
        });
    }

    private static BrokerLifecycleManager lifecycle() {
        return object(BrokerLifecycleManager.class, (method, given) ->
            method.getName().equals("initialUnfenceFuture")
                ? CompletableFuture.completedFuture(null)
                : inside(method));
    }

    /** Has applied all metadata: ours has when it responds. */
    private static SharedServer shared() {
        MetadataLoader loader = object(MetadataLoader.class, (method, given) ->
            method.getName().equals("lastAppliedOffset") ? Long.MAX_VALUE : inside(method));
        return object(SharedServer.class, (method, given) ->
            method.getName().equals("loader") ? loader : inside(method));
    }

    private static GroupCoordinator coordinator() {
        return object(GroupCoordinator.class, (method, given) -> {
            if (!method.getName().equals("groupMetadataTopicConfigs")) {
                return inside(method);
            }
            Properties configs = new Properties();
            configs.setProperty("cleanup.policy", "compact");
            configs.setProperty("compression.type", "producer");
            configs.setProperty("segment.bytes", "104857600");
            return configs;
        });
    }
}
