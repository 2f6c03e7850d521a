package outside;

import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** The configuration that tests see of a node of ours. */
public final class NodeConfig {
    /** The id of the only controller, as in Kafka's test kit. */
    public static final int CONTROLLER = 3000;

    private NodeConfig() {
    }

    /** That of a node with one listener for clients. */
    public static KafkaConfig of(
            Map<String, ?> given, int id, String listener, SecurityProtocol protocol) {
        Map<String, Object> own = new HashMap<>(given);
        own.put("process.roles", "broker");
        own.put("node.id", String.valueOf(id));
        own.put("controller.listener.names", "CONTROLLER");
        own.put("controller.quorum.voters", CONTROLLER + "@localhost:1");
        own.put("listeners", listener + "://localhost:0");
        own.put("inter.broker.listener.name", listener);
        own.put("listener.security.protocol.map",
            listener + ":" + protocol.name + ",CONTROLLER:PLAINTEXT");
        return new KafkaConfig(own);
    }
}
