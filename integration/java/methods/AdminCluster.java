package methods;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;

/** Methods of Admin about the cluster, its features and its quorum, and about the client. */
class AdminCluster {
    static void add(Net<Admin> net) {
        cluster(net);
        quorum(net);
        client(net);
    }

    private static void cluster(Net<Admin> net) {
        net.call("describeCluster", "defaults", (admin, on) ->
            described(admin.describeCluster()));
        net.call("describeCluster", "options", (admin, on) ->
            described(admin.describeCluster(new DescribeClusterOptions()
                .includeAuthorizedOperations(true).includeFencedBrokers(true))));
        net.call("describeFeatures", "defaults", (admin, on) ->
            features(admin.describeFeatures()));
        net.call("describeFeatures", "options", (admin, on) ->
            features(admin.describeFeatures(new DescribeFeaturesOptions())));
        net.call("updateFeatures", "defaults", (admin, on) ->
            admin.updateFeatures(update("no.feature", 1)).all());
        net.call("updateFeatures", "options", (admin, on) ->
            admin.updateFeatures(
                update("metadata.version", 30), new UpdateFeaturesOptions().validateOnly(true))
                .values());
        net.call("unregisterBroker", "defaults", (admin, on) -> admin.unregisterBroker(77).all());
        net.call("unregisterBroker", "options", (admin, on) ->
            admin.unregisterBroker(77, new UnregisterBrokerOptions()).all());
    }

    private static void quorum(Net<Admin> net) {
        net.call("describeMetadataQuorum", "defaults", (admin, on) ->
            admin.describeMetadataQuorum().quorumInfo().get().leaderId());
        net.call("describeMetadataQuorum", "options", (admin, on) ->
            admin.describeMetadataQuorum(new DescribeMetadataQuorumOptions()).quorumInfo().get()
                .voters().size());
        net.call("addRaftVoter", "defaults", (admin, on) ->
            admin.addRaftVoter(77, new Uuid(7, 7), endpoints()).all());
        net.call("addRaftVoter", "options", (admin, on) ->
            admin.addRaftVoter(77, new Uuid(7, 7), endpoints(), new AddRaftVoterOptions()).all());
        net.call("removeRaftVoter", "defaults", (admin, on) ->
            admin.removeRaftVoter(77, new Uuid(7, 7)).all());
        net.call("removeRaftVoter", "options", (admin, on) ->
            admin.removeRaftVoter(77, new Uuid(7, 7), new RemoveRaftVoterOptions()).all());
    }

    private static void client(Net<Admin> net) {
        net.call("clientInstanceId", "defaults", (admin, on) ->
            admin.clientInstanceId(Duration.ofMillis(500)));
        net.call("listClientMetricsResources", "defaults", (admin, on) ->
            admin.listClientMetricsResources().all());
        net.call("listClientMetricsResources", "options", (admin, on) ->
            admin.listClientMetricsResources(new ListClientMetricsResourcesOptions()).all());
        net.call("metrics", "defaults", (admin, on) -> !admin.metrics().isEmpty());
        net.call("registerMetricForSubscription", "defaults", (admin, on) -> {
            admin.registerMetricForSubscription(metric());
            return null;
        });
        net.call("unregisterMetricFromSubscription", "defaults", (admin, on) -> {
            admin.unregisterMetricFromSubscription(metric());
            return null;
        });
        net.call("close", "defaults", (admin, on) -> {
            admin.close();
            return null;
        });
        net.call("close", "timeout", (admin, on) -> {
            admin.close(Duration.ofSeconds(5));
            return null;
        });
    }

    private static Object described(DescribeClusterResult result) throws Exception {
        return List.of(
            result.nodes(), result.controller(), result.clusterId().get().length(),
            String.valueOf(result.authorizedOperations().get()).length());
    }

    private static Object features(DescribeFeaturesResult result) throws Exception {
        FeatureMetadata features = result.featureMetadata().get();
        return List.of(features.finalizedFeatures(), features.supportedFeatures());
    }

    private static Map<String, FeatureUpdate> update(String feature, int level) {
        return Map.of(feature, new FeatureUpdate((short) level, UpgradeType.UPGRADE));
    }

    private static Set<RaftVoterEndpoint> endpoints() {
        return Set.of(new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", 4711));
    }

    /** Returns a metric of an application. */
    static KafkaMetric metric() {
        MetricName name = new MetricName("name", "group", "of an application", Map.of());
        Gauge<Integer> gauge = (config, now) -> 1;
        return new KafkaMetric(new Object(), name, gauge, new MetricConfig(), Time.SYSTEM);
    }
}
