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
    static void add(MethodTable<Admin> table) {
        cluster(table);
        quorum(table);
        client(table);
    }

    private static void cluster(MethodTable<Admin> table) {
        table.call("describeCluster", "defaults", (admin, on) ->
            described(admin.describeCluster()));
        table.call("describeCluster", "options", (admin, on) ->
            described(admin.describeCluster(new DescribeClusterOptions()
                .includeAuthorizedOperations(true).includeFencedBrokers(true))));
        table.call("describeFeatures", "defaults", (admin, on) ->
            features(admin.describeFeatures()));
        table.call("describeFeatures", "options", (admin, on) ->
            features(admin.describeFeatures(new DescribeFeaturesOptions())));
        table.call("updateFeatures", "defaults", (admin, on) ->
            admin.updateFeatures(update("no.feature", 1)).all());
        table.call("updateFeatures", "options", (admin, on) ->
            admin.updateFeatures(
                update("metadata.version", 30), new UpdateFeaturesOptions().validateOnly(true))
                .values());
        table.call("unregisterBroker", "defaults", (admin, on) -> admin.unregisterBroker(77).all());
        table.call("unregisterBroker", "options", (admin, on) ->
            admin.unregisterBroker(77, new UnregisterBrokerOptions()).all());
    }

    private static void quorum(MethodTable<Admin> table) {
        table.call("describeMetadataQuorum", "defaults", (admin, on) ->
            admin.describeMetadataQuorum().quorumInfo().get().leaderId());
        table.call("describeMetadataQuorum", "options", (admin, on) ->
            admin.describeMetadataQuorum(new DescribeMetadataQuorumOptions()).quorumInfo().get()
                .voters().size());
        table.call("addRaftVoter", "defaults", (admin, on) ->
            admin.addRaftVoter(77, new Uuid(7, 7), endpoints()).all());
        table.call("addRaftVoter", "options", (admin, on) ->
            admin.addRaftVoter(77, new Uuid(7, 7), endpoints(), new AddRaftVoterOptions()).all());
        table.call("removeRaftVoter", "defaults", (admin, on) ->
            admin.removeRaftVoter(77, new Uuid(7, 7)).all());
        table.call("removeRaftVoter", "options", (admin, on) ->
            admin.removeRaftVoter(77, new Uuid(7, 7), new RemoveRaftVoterOptions()).all());
    }

    private static void client(MethodTable<Admin> table) {
        table.call("clientInstanceId", "defaults", (admin, on) ->
            admin.clientInstanceId(Duration.ofMillis(500)));
        table.call("listClientMetricsResources", "defaults", (admin, on) ->
            admin.listClientMetricsResources().all());
        table.call("listClientMetricsResources", "options", (admin, on) ->
            admin.listClientMetricsResources(new ListClientMetricsResourcesOptions()).all());
        table.call("metrics", "defaults", (admin, on) -> !admin.metrics().isEmpty());
        table.call("registerMetricForSubscription", "defaults", (admin, on) -> {
            admin.registerMetricForSubscription(metric());
            return null;
        });
        table.call("unregisterMetricFromSubscription", "defaults", (admin, on) -> {
            admin.unregisterMetricFromSubscription(metric());
            return null;
        });
        table.call("close", "defaults", (admin, on) -> {
            admin.close();
            return null;
        });
        table.call("close", "timeout", (admin, on) -> {
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
