package kafka.server;

import java.io.File;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.integration.KafkaServerTestHarness;
import kafka.utils.Logging;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.fault.FaultHandler;
import org.mockito.Mockito;
import outside.OurBroker;
import outside.OurCluster;
import outside.OurController;
import outside.RunningTest;
import outside.Settings;
import scala.Option;

/** Takes the place of Kafka's class in the tests of QuorumTestHarness: brokers are nodes of ours. */
public class KRaftQuorumImplementation implements QuorumImplementation {
    private final ControllerServer controllerServer;
    private final FaultHandlerFactory faultHandlerFactory;
    private final File metadataDir;
    private final CompletableFuture<Map<Integer, InetSocketAddress>> voters;
    private final String clusterId;
    private final Logging log;
    private final FaultHandler faultHandler;
    private OurCluster cluster;

    public KRaftQuorumImplementation(
            ControllerServer controllerServer,
            FaultHandlerFactory faultHandlerFactory,
            File metadataDir,
            CompletableFuture<Map<Integer, InetSocketAddress>> voters,
            String clusterId,
            Logging log,
            FaultHandler faultHandler) {
        this.controllerServer = controllerServer;
        this.faultHandlerFactory = faultHandlerFactory;
        this.metadataDir = metadataDir;
        this.voters = voters;
        this.clusterId = clusterId;
        this.log = log;
        this.faultHandler = faultHandler;
    }

    /** That of our cluster, once a test has brokers; before it is Kafka's, which nothing uses. */
    public ControllerServer controllerServer() {
        return cluster == null
            ? controllerServer
            : OurController.of(cluster, controllerServer.config());
    }

    public FaultHandlerFactory faultHandlerFactory() {
        return faultHandlerFactory;
    }

    public File metadataDir() {
        return metadataDir;
    }

    public CompletableFuture<Map<Integer, InetSocketAddress>> controllerQuorumVotersFuture() {
        return voters;
    }

    public String clusterId() {
        return clusterId;
    }

    public Logging log() {
        return log;
    }

    public FaultHandler faultHandler() {
        return faultHandler;
    }

    @Override
    public KafkaBroker createBroker(
            KafkaConfig config, Time time, boolean startup, Option<String> threadNamePrefix) {
        List<KafkaConfig> configs = configs(config);
        if (cluster == null) {
            int first = configs.stream().mapToInt(KafkaConfig::brokerId).min().orElseThrow();
            cluster = new OurCluster(first, configs.size());
        }
        List<String> options = options(config, configs);
        KafkaBroker broker = OurBroker.of(
            cluster, config, config.brokerId(), () -> cluster.startAll(options));
        if (startup) {
            broker.startup();
        }
        return broker;
    }

    /** Those of all brokers of the test. */
    private static List<KafkaConfig> configs(KafkaConfig own) {
        List<KafkaConfig> configs = new ArrayList<>();
        if (RunningTest.instance() instanceof KafkaServerTestHarness harness) {
            for (int index = 0; index < harness.configs().size(); index++) {
                configs.add(harness.configs().apply(index));
            }
        }
        return configs.isEmpty() ? List.of(own) : configs;
    }

    private static List<String> options(KafkaConfig config, List<KafkaConfig> configs) {
        Settings settings = new Settings(config.originals());
        List<?> controllers = config.getList("controller.listener.names");
        for (String entry : config.getList("listeners")) {
            String name = entry.substring(0, entry.indexOf("://"));
            if (!controllers.contains(name)) {
                SecurityProtocol protocol = config.effectiveListenerSecurityProtocolMap()
                    .get(ListenerName.normalised(name));
                settings.withListener(name, protocol, config);
            }
        }
        List<String> racks = new ArrayList<>();
        configs.forEach(each -> racks.add(each.rack().orElse(null)));
        List<String> options = settings.withRacks(racks).options();
        for (String credential : credentials()) {
            options.addAll(List.of("--add-scram", credential));
        }
        return options;
    }

    /** The SCRAM credentials that the test gives to the formatter of the data directories. */
    private static List<String> credentials() {
        List<String> credentials = new ArrayList<>();
        if (RunningTest.instance() instanceof QuorumTestHarness harness) {
            Formatter formatter = Mockito.mock(Formatter.class, call -> {
                if (call.getMethod().getName().equals("setScramArguments")) {
                    List<String> arguments = call.getArgument(0);
                    credentials.addAll(arguments);
                }
                return call.getMock();
            });
            harness.addFormatterSettings(formatter);
        }
        return credentials;
    }

    @Override
    public void shutdown() {
        Utils.closeQuietly(cluster, "cluster");
        controllerServer.shutdown();
        controllerServer.awaitShutdown();
    }
}
