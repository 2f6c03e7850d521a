package org.apache.kafka.common.test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kafka.server.BrokerServer;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import outside.NodeConfig;
import outside.OurBroker;
import outside.OurCluster;
import outside.Settings;

/** Takes the place of Kafka's class in the tests of Streams and Connect: the cluster is one of ours. */
public class KafkaClusterTestKit implements AutoCloseable {
    private final OurCluster cluster;
    private final String listener;
    private final List<String> options;
    private final Map<Integer, BrokerServer> brokers = new TreeMap<>();
    private final MockFaultHandler faults = new MockFaultHandler("outside");

    private KafkaClusterTestKit(TestKitNodes nodes, Map<String, Object> given) {
        listener = nodes.brokerListenerName().value();
        SecurityProtocol protocol = protocol(nodes, given);
        List<Integer> ids = new ArrayList<>(nodes.brokerNodes().keySet());
        cluster = new OurCluster(ids.get(0), ids.size());
        Map<String, Object> all = new HashMap<>(given);
        List<String> racks = new ArrayList<>();
        nodes.brokerNodes().forEach((id, node) -> {
            all.putAll(node.propertyOverrides());
            racks.add(node.propertyOverrides().get("broker.rack"));
        });
        KafkaConfig first = NodeConfig.of(all, ids.get(0), listener, protocol);
        Settings settings = new Settings(all).with("inter.broker.listener.name", listener);
        options = settings.withListener(listener, protocol, first).withRacks(racks).options();
        for (int id : ids) {
            KafkaConfig config = NodeConfig.of(all, id, listener, protocol);
            brokers.put(id, OurBroker.of(
                cluster, config, id, () -> cluster.startAll(options)));
        }
    }

    /** That which the test gives to the listener for clients. */
    private static SecurityProtocol protocol(TestKitNodes nodes, Map<String, Object> given) {
        Object map = given.getOrDefault("listener.security.protocol.map", "");
        for (String entry : map.toString().split(",")) {
            if (entry.startsWith(nodes.brokerListenerName().value() + ":")) {
                return SecurityProtocol.forName(entry.substring(entry.indexOf(':') + 1));
            }
        }
        return nodes.brokerListenerProtocol();
    }

    /** Do nothing: ours formats its data directories when it starts. */
    public void format() {
    }

    /** Start all nodes. */
    public void startup() {
        cluster.startAll(options);
    }

    /** Do nothing: the nodes are ready when `startup` returns. */
    public void waitForReadyBrokers() {
    }

    /** The addresses of all nodes. */
    public String bootstrapServers() {
        return cluster.bootstrap(listener);
    }

    /** The nodes by id. */
    public Map<Integer, BrokerServer> brokers() {
        return brokers;
    }

    /** One that has no faults. */
    public MockFaultHandler nonFatalFaultHandler() {
        return faults;
    }

    @Override
    public void close() {
        cluster.close();
    }

    /** Builds a cluster with the nodes and the properties of a test. */
    public static class Builder {
        private final TestKitNodes nodes;
        private final Map<String, Object> given = new HashMap<>();

        public Builder(TestKitNodes nodes) {
            this.nodes = nodes;
        }

        /** A property of all nodes. */
        public Builder setConfigProp(String key, Object value) {
            given.put(key, value);
            return this;
        }

        public KafkaClusterTestKit build() {
            return new KafkaClusterTestKit(nodes, given);
        }
    }
}
