package outside;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.JaasUtils;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.Type;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.fault.FaultHandlerException;
import org.apache.kafka.test.TestUtils;

/** A cluster of ours for a test of ClusterTest. */
public final class OurClusterInstance implements ClusterInstance {
    // What Kafka's test kit sets for all tests.
    private static final Map<String, String> OF_THE_KIT = Map.of(
        "offsets.topic.num.partitions", "5",
        "group.initial.rebalance.delay.ms", "0",
        "transaction.state.log.num.partitions", "5",
        "transaction.state.log.min.isr", "1");

    private final ClusterConfig config;
    private final boolean isCombined;
    private final OurCluster cluster;
    private final Map<Integer, KafkaBroker> brokers = new TreeMap<>();
    private final Map<Integer, ControllerServer> controllers = new TreeMap<>();
    private boolean started;
    private boolean stopped;

    public OurClusterInstance(ClusterConfig config, boolean isCombined) {
        this.config = config;
        this.isCombined = isCombined;
        cluster = new OurCluster(0, config.numBrokers());
    }

    @Override
    public void start() {
        if (started) {
            return;
        }
        Map<String, String> given = new HashMap<>(OF_THE_KIT);
        int replicas = Math.min(3, config.numBrokers());
        given.put("transaction.state.log.replication.factor", String.valueOf(replicas));
        given.putAll(config.serverProperties());
        config.perServerOverrideProperties().values().forEach(given::putAll);
        given.put("inter.broker.listener.name", clientListener().value());
        addLogin(given);
        for (int id = 0; id < config.numBrokers(); id++) {
            KafkaConfig own = NodeConfig.of(
                given, id, clientListener().value(), config.brokerSecurityProtocol());
            brokers.put(id, OurBroker.of(cluster, own, id, () -> { }));
        }
        KafkaConfig first = brokers.get(0).config();
        controllers.put(NodeConfig.CONTROLLER, OurController.of(cluster, first));
        cluster.startAll(new Settings(given)
            .withListener(clientListener().value(), config.brokerSecurityProtocol(), first)
            .withRacks(new TreeMap<>(config.perServerOverrideProperties()).values().stream()
                .map(each -> each.get("broker.rack")).toList())
            .options());
        started = true;
        setFeatures();
    }

    private void addLogin(Map<String, String> given) {
        if (config.brokerSecurityProtocol() != SecurityProtocol.SASL_PLAINTEXT) {
            return;
        }
        String admin = JaasUtils.KAFKA_PLAIN_ADMIN;
        String secret = JaasUtils.KAFKA_PLAIN_ADMIN_PASSWORD;
        String login = PlainLoginModule.class.getName() + " required"
            + " username=\"" + admin + "\" password=\"" + secret + "\""
            + " user_" + admin + "=\"" + secret + "\""
            + " user_" + JaasUtils.KAFKA_PLAIN_USER1 + "=\""
            + JaasUtils.KAFKA_PLAIN_USER1_PASSWORD + "\";";
        String listener = clientListener().value().toLowerCase(Locale.ROOT);
        given.putIfAbsent("sasl.enabled.mechanisms", "PLAIN");
        given.putIfAbsent("sasl.mechanism.inter.broker.protocol", "PLAIN");
        given.putIfAbsent("listener.name." + listener + ".plain.sasl.jaas.config", login);
        given.putIfAbsent("authorizer.class.name", StandardAuthorizer.class.getName());
        given.putIfAbsent("allow.everyone.if.no.acl.found", "false");
        given.putIfAbsent("super.users", "User:" + admin);
    }

    private void setFeatures() {
        Map<String, FeatureUpdate> updates = new HashMap<>();
        config.features().forEach((feature, level) -> updates.put(
            feature.featureName(),
            new FeatureUpdate(level, FeatureUpdate.UpgradeType.UNSAFE_DOWNGRADE)));
        if (updates.isEmpty()) {
            return;
        }
        try (Admin admin = admin()) {
            admin.updateFeatures(updates, new UpdateFeaturesOptions()).all().get();
        } catch (ExecutionException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public void waitTopicDeletion(String topic) throws InterruptedException {
        Facts facts = new Facts(cluster);
        TestUtils.waitForCondition(() -> facts.partitions(topic).isEmpty(), topic + " exists");
    }

    @Override
    public void waitAcls(AclBindingFilter filter, Collection<AccessControlEntry> entries)
            throws InterruptedException {
        try (Admin admin = admin()) {
            TestUtils.waitForCondition(() -> {
                Set<AccessControlEntry> found = new HashSet<>();
                admin.describeAcls(filter).values().get().forEach(each -> found.add(each.entry()));
                return found.equals(Set.copyOf(entries));
            }, "the ACLs differ");
        }
    }

    @Override
    public void stop() {
        if (!stopped) {
            stopped = true;
            cluster.close();
        }
    }

    @Override
    public String bootstrapControllers() {
        throw new InsideOfTheBroker("a controller's listener");
    }

    @Override
    public void ensureConsistentMetadata(
            Collection<KafkaBroker> nodes, Collection<ControllerServer> servers) {
        // The admin interface responds with what all nodes have applied.
    }

    @Override
    public Type type() {
        return isCombined ? Type.CO_KRAFT : Type.KRAFT;
    }

    @Override
    public Map<Integer, KafkaBroker> brokers() {
        return brokers;
    }

    @Override
    public Map<Integer, ControllerServer> controllers() {
        return controllers;
    }

    @Override
    public ClusterConfig config() {
        return config;
    }

    @Override
    public Set<Integer> controllerIds() {
        return Set.of(NodeConfig.CONTROLLER);
    }

    @Override
    public ListenerName clientListener() {
        return config.brokerListenerName();
    }

    @Override
    public ListenerName controllerListenerName() {
        return config.controllerListenerName();
    }

    @Override
    public String bootstrapServers() {
        return cluster.bootstrap(clientListener().value());
    }

    @Override
    public String clusterId() {
        return cluster.facts().get("cluster_id").asText();
    }

    @Override
    public Optional<FaultHandlerException> firstFatalException() {
        return Optional.empty();
    }

    @Override
    public Optional<FaultHandlerException> firstNonFatalException() {
        return Optional.empty();
    }

    @Override
    public boolean started() {
        return started;
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public void shutdownBroker(int id) {
        cluster.shutDown(id);
    }

    @Override
    public void startBroker(int id) {
        cluster.start(id);
    }

    @Override
    public void waitForReadyBrokers() {
        // They are when the process is.
    }
}
