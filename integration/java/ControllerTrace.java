package org.apache.kafka.controller;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.Feature;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.FeatureCollection;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.Listener;
import org.apache.kafka.common.message.BrokerRegistrationRequestData.ListenerCollection;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignmentCollection;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicCollection;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfigCollection;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitionsCollection;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.EligibleLeaderReplicasVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Reads traces of a cluster from standard input and prints the decisions of Apache Kafka's controller.
 *
 * <pre>
 *   trace                                         begin a new one
 *   elr LEVEL                                     the level of eligible.leader.replicas.version
 *   register NODE | fence NODE                    a node registers (after a crash), or crashes
 *   create TOPIC MIN_ISR UNCLEAN REPLICAS/...     a topic with an assignment: replicas 1,2,3 for each partition
 *   grow TOPIC REPLICAS/...                       more partitions
 *   isr TOPIC PARTITION NODE BROKER LEADER EPOCH ISR   a leader's AlterPartition; epochs are relative to the present ones
 *   configure TOPIC MIN_ISR UNCLEAN               a topic's configuration; "-": the default
 *   elect TYPE TOPIC PARTITION | electall TYPE | balance | unclean
 *   move RF_CHANGE TOPIC PARTITION REPLICAS       a reassignment; REPLICAS "-" cancels it
 * </pre>
 *
 * After each step it prints the outcome, then the registration of every partition; or "fault" until
 * the end of the trace, after Kafka's controller has failed with an exception.
 */
public final class ControllerTrace {
    private static final Map<String, Short> FEATURES = Map.of(
        MetadataVersion.FEATURE_NAME, MetadataVersion.latestProduction().featureLevel(),
        EligibleLeaderReplicasVersion.FEATURE_NAME, (short) 1);

    private final SnapshotRegistry snapshots = new SnapshotRegistry(new LogContext());
    private final FeatureControlManager features;
    private final ConfigurationControlManager configs;
    private final ClusterControlManager cluster;
    private final ReplicationControlManager replication;
    private final Map<String, Uuid> topics = new TreeMap<>();
    private long offset = 0;

    private ControllerTrace() {
        features = new FeatureControlManager.Builder().
            setSnapshotRegistry(snapshots).
            setQuorumFeatures(new QuorumFeatures(
                0, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(0))).
            build();
        FEATURES.forEach((name, level) ->
            features.replay(new FeatureLevelRecord().setName(name).setFeatureLevel(level)));
        configs = new ConfigurationControlManager.Builder().
            setSnapshotRegistry(snapshots).
            setFeatureControl(features).
            setKafkaConfigSchema(kafka.server.KafkaRaftServer.configSchema()).
            build();
        cluster = new ClusterControlManager.Builder().
            setClusterId("trace").
            setTime(Time.SYSTEM).
            setSnapshotRegistry(snapshots).
            setSessionTimeoutNs(Long.MAX_VALUE / 2).
            setReplicaPlacer(new StripedReplicaPlacer(new Random())).
            setFeatureControlManager(features).
            setBrokerShutdownHandler(this::brokerShutdown).
            build();
        replication = new ReplicationControlManager.Builder().
            setSnapshotRegistry(snapshots).
            setLogContext(new LogContext()).
            setMaxElectionsPerImbalance(Integer.MAX_VALUE).
            setConfigurationControl(configs).
            setClusterControl(cluster).
            setFeatureControl(features).
            build();
        cluster.activate();
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        ControllerTrace trace = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("trace")) {
                trace = new ControllerTrace();
                out.println("trace");
            } else if (trace == null) {
                out.println("fault");
            } else {
                try {
                    out.println(trace.step(words) + trace.state());
                } catch (IllegalArgumentException fault) {
                    // It looks up the directory of a last known leader, whose partition was reassigned.
                    out.println("fault");
                    trace = null;
                }
            }
        }
        out.flush();
    }

    private String step(String[] words) {
        try {
            return switch (words[0]) {
                case "elr" -> elr(Short.parseShort(words[1]));
                case "register" -> register(number(words[1]));
                case "fence" -> fence(number(words[1]));
                case "create" -> create(words[1], words[2], words[3], words[4]);
                case "grow" -> grow(words[1], words[2]);
                case "isr" -> isr(words);
                case "configure" -> configure(words[1], words[2], words[3]);
                case "elect" -> elect((byte) number(words[1]), words[2], number(words[3]));
                case "electall" -> elect((byte) number(words[1]), null, 0);
                case "balance" -> done(replication.maybeBalancePartitionLeaders());
                case "unclean" -> done(replication.maybeElectUncleanLeaders());
                case "move" -> move(words[1].equals("1"), words[2], number(words[3]), words[4]);
                default -> throw new IllegalArgumentException(words[0]);
            };
        } catch (ApiException error) {
            return Errors.forException(error).name();
        }
    }

    private String elr(short level) {
        features.replay(new FeatureLevelRecord().
            setName(EligibleLeaderReplicasVersion.FEATURE_NAME).setFeatureLevel(level));
        return "done";
    }

    private String register(int node) {
        FeatureCollection supported = new FeatureCollection();
        QuorumFeatures.defaultSupportedFeatureMap(true).forEach((name, range) ->
            supported.add(new Feature().setName(name).
                setMinSupportedVersion(range.min()).setMaxSupportedVersion(range.max())));
        ListenerCollection listeners = new ListenerCollection();
        listeners.add(new Listener().setName("PLAINTEXT").setHost("localhost").setPort(9000 + node));
        ControllerResult<?> result = cluster.registerBroker(
            new BrokerRegistrationRequestData().
                setClusterId("trace").
                setBrokerId(node).
                setIncarnationId(Uuid.randomUuid()).
                setFeatures(supported).
                setListeners(listeners).
                setLogDirs(List.of(new Uuid(1, 1000 + node))),
            offset, new FinalizedControllerFeatures(FEATURES, 1), true);
        replay(result.records());
        List<ApiMessageAndVersion> records = new ArrayList<>();
        replication.handleBrokerUnfenced(node, cluster.registration(node).epoch(), records);
        replay(records);
        return "done";
    }

    private String fence(int node) {
        List<ApiMessageAndVersion> records = new ArrayList<>();
        replication.handleBrokerFenced(node, records);
        replay(records);
        return "done";
    }

    private void brokerShutdown(int node, boolean clean, List<ApiMessageAndVersion> records) {
        replication.handleBrokerShutdown(node, clean, records);
    }

    private String create(String name, String minIsr, String unclean, String placed) {
        CreatableReplicaAssignmentCollection assignments = new CreatableReplicaAssignmentCollection();
        for (String replicas : placed.split("/")) {
            assignments.add(new CreatableReplicaAssignment().
                setPartitionIndex(assignments.size()).setBrokerIds(numbers(replicas)));
        }
        CreatableTopicConfigCollection given = new CreatableTopicConfigCollection();
        given.add(new CreatableTopicConfig().setName("min.insync.replicas").setValue(minIsr));
        given.add(new CreatableTopicConfig().
            setName("unclean.leader.election.enable").setValue(unclean));
        CreatableTopicCollection requested = new CreatableTopicCollection();
        requested.add(new CreatableTopic().setName(name).setNumPartitions(-1).
            setReplicationFactor((short) -1).setAssignments(assignments).setConfigs(given));
        var result = replication.createTopics(
            context(ApiKeys.CREATE_TOPICS), new CreateTopicsRequestData().setTopics(requested),
            Set.of(name), false);
        replay(result.records());
        CreatableTopicResult created = result.response().topics().find(name);
        if (created.errorCode() == 0) {
            topics.put(name, created.topicId());
        }
        return ended(created.errorCode(), created.errorMessage());
    }

    private String grow(String name, String placed) {
        List<CreatePartitionsAssignment> assignments = Arrays.stream(placed.split("/")).
            map(replicas -> new CreatePartitionsAssignment().setBrokerIds(numbers(replicas))).
            toList();
        int present = topics.containsKey(name)
            ? replication.getTopic(topics.get(name)).numPartitions(Long.MAX_VALUE) : 0;
        var result = replication.createPartitions(
            context(ApiKeys.CREATE_PARTITIONS), List.of(new CreatePartitionsTopic().
                setName(name).setCount(present + assignments.size()).setAssignments(assignments)));
        replay(result.records());
        var grown = result.response().get(0);
        return ended(grown.errorCode(), grown.errorMessage());
    }

    private String configure(String topic, String minIsr, String unclean) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var result = configs.incrementalAlterConfigs(
            Map.of(resource, Map.of(
                "min.insync.replicas", operation(minIsr),
                "unclean.leader.election.enable", operation(unclean))),
            false, false);
        replay(result.records());
        return ended(result.response().get(resource).error().code(), null);
    }

    private static Map.Entry<OpType, String> operation(String value) {
        return value.equals("-") ? Map.entry(OpType.DELETE, "") : Map.entry(OpType.SET, value);
    }

    private String isr(String[] words) {
        Uuid topic = topics.getOrDefault(words[1], new Uuid(9, 9));
        int index = number(words[2]);
        int node = number(words[3]);
        PartitionRegistration partition = replication.getPartition(topic, index);
        var registration = cluster.registration(node);
        List<BrokerState> isr = numbers(words[7]).stream().
            map(each -> new BrokerState().setBrokerId(each)).toList();
        // No leader requests the present ISR; its recovery state is not traced.
        boolean same = partition != null && Replicas.toList(partition.isr).equals(numbers(words[7]));
        LeaderRecoveryState recovery = same ? partition.leaderRecoveryState : LeaderRecoveryState.RECOVERED;
        var result = replication.alterPartition(
            context(ApiKeys.ALTER_PARTITION), new AlterPartitionRequestData().
                setBrokerId(node).
                setBrokerEpoch((registration == null ? 0 : registration.epoch()) + number(words[4])).
                setTopics(List.of(new AlterPartitionRequestData.TopicData().
                    setTopicId(topic).
                    setPartitions(List.of(new AlterPartitionRequestData.PartitionData().
                        setPartitionIndex(index).
                        setLeaderEpoch((partition == null ? 0 : partition.leaderEpoch) + number(words[5])).
                        setPartitionEpoch((partition == null ? 0 : partition.partitionEpoch) + number(words[6])).
                        setLeaderRecoveryState(recovery.value()).
                        setNewIsrWithEpochs(isr))))));
        replay(result.records());
        return ended(result.response().topics().get(0).partitions().get(0).errorCode(), null);
    }

    private String elect(byte type, String topic, int partition) {
        ElectLeadersRequestData request = new ElectLeadersRequestData().
            setElectionType(type).setTopicPartitions(null);
        if (topic != null) {
            TopicPartitionsCollection requested = new TopicPartitionsCollection();
            requested.add(new TopicPartitions().setTopic(topic).setPartitions(List.of(partition)));
            request.setTopicPartitions(requested);
        }
        var result = replication.electLeaders(request);
        replay(result.records());
        Map<String, String> results = new TreeMap<>();
        for (ReplicaElectionResult each : result.response().replicaElectionResults()) {
            for (PartitionResult one : each.partitionResult()) {
                results.put(each.topic() + "-" + one.partitionId(), ended(one.errorCode(), one.errorMessage()));
            }
        }
        return results.toString();
    }

    private String move(boolean changeFactor, String topic, int partition, String replicas) {
        var result = replication.alterPartitionReassignments(
            new AlterPartitionReassignmentsRequestData().
                setAllowReplicationFactorChange(changeFactor).
                setTopics(List.of(new ReassignableTopic().setName(topic).setPartitions(List.of(
                    new ReassignablePartition().setPartitionIndex(partition).
                        setReplicas(replicas.equals("-") ? null : numbers(replicas)))))));
        replay(result.records());
        ReassignablePartitionResponse moved = result.response().responses().get(0).partitions().get(0);
        if (moved.errorCode() == Errors.UNKNOWN_SERVER_ERROR.code()) {
            throw new IllegalArgumentException(moved.errorMessage());
        }
        return ended(moved.errorCode(), moved.errorMessage());
    }

    private String done(ControllerResult<?> result) {
        replay(result.records());
        return "done";
    }

    private String state() {
        StringBuilder state = new StringBuilder();
        topics.forEach((name, id) -> {
            int count = replication.getTopic(id).numPartitions(Long.MAX_VALUE);
            for (int index = 0; index < count; index++) {
                PartitionRegistration partition = replication.getPartition(id, index);
                state.append(" | ").append(name).append("-").append(index).
                    append(" replicas ").append(text(partition.replicas)).
                    append(" isr ").append(text(partition.isr)).
                    append(" leader ").append(partition.leader).
                    append(" epochs ").append(partition.leaderEpoch).
                    append(" ").append(partition.partitionEpoch).
                    append(" adding ").append(text(partition.addingReplicas)).
                    append(" removing ").append(text(partition.removingReplicas)).
                    append(" elr ").append(text(partition.elr)).
                    append(" last ").append(text(partition.lastKnownElr));
            }
        });
        return state.toString();
    }

    private void replay(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion record : records) {
            replay(record.message());
            offset++;
        }
    }

    private void replay(ApiMessage message) {
        if (message instanceof RegisterBrokerRecord record) {
            cluster.replay(record, offset);
        } else if (message instanceof BrokerRegistrationChangeRecord record) {
            cluster.replay(record);
        } else if (message instanceof TopicRecord record) {
            replication.replay(record);
        } else if (message instanceof PartitionRecord record) {
            replication.replay(record);
        } else if (message instanceof PartitionChangeRecord record) {
            replication.replay(record);
        } else if (message instanceof ClearElrRecord record) {
            replication.replay(record);
        } else if (message instanceof ConfigRecord record) {
            configs.replay(record);
        } else {
            throw new IllegalStateException(message.toString());
        }
    }

    private static ControllerRequestContext context(ApiKeys key) {
        return new ControllerRequestContext(
            new RequestHeaderData().setRequestApiKey(key.id).setRequestApiVersion(key.latestVersion()),
            KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    private static String ended(short code, String message) {
        return Errors.forCode(code).name() + (message == null ? "" : ": " + message);
    }

    private static String text(int[] nodes) {
        return Arrays.toString(nodes).replace(" ", "");
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private static List<Integer> numbers(String text) {
        return text.equals("0") ? List.of() : Arrays.stream(text.split(",")).map(Integer::parseInt).toList();
    }
}
