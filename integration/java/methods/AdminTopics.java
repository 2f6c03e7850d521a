package methods;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;

/** Methods of Admin about topics, their records, places and configurations. */
class AdminTopics {
    static void add(MethodTable<Admin> table) {
        creation(table);
        descriptions(table);
        records(table);
        places(table);
        configs(table);
    }

    private static void creation(MethodTable<Admin> table) {
        table.call("createTopics", "defaults", (admin, on) ->
            created(admin.createTopics(List.of(
                new NewTopic(on.named("t"), Optional.empty(), Optional.empty()))), on));
        table.call("createTopics", "configs", (admin, on) ->
            created(admin.createTopics(List.of(new NewTopic(on.named("t"), 2, (short) 1)
                .configs(Map.of("cleanup.policy", "compact")))), on));
        table.call("createTopics", "assignment", (admin, on) ->
            created(admin.createTopics(List.of(
                new NewTopic(on.named("t"), Map.of(0, List.of(1), 1, List.of(1))))), on));
        table.call("createTopics", "validate_only", (admin, on) ->
            created(admin.createTopics(
                List.of(new NewTopic(on.named("t"), 1, (short) 1)),
                new CreateTopicsOptions().validateOnly(true)), on));
        table.call("createTopics", "existing", (admin, on) ->
            admin.createTopics(List.of(new NewTopic(on.topic(), 1, (short) 1))).values());
        table.call("createPartitions", "defaults", (admin, on) ->
            admin.createPartitions(Map.of(on.topic(), NewPartitions.increaseTo(3))).values());
        table.call("createPartitions", "validate_only", (admin, on) ->
            admin.createPartitions(
                Map.of(on.topic(), NewPartitions.increaseTo(3, List.of(List.of(1)))),
                new CreatePartitionsOptions().validateOnly(true)).values());
        table.call("createPartitions", "fewer", (admin, on) ->
            admin.createPartitions(Map.of(on.topic(), NewPartitions.increaseTo(1))).values());
        table.call("deleteTopics", "defaults", (admin, on) ->
            admin.deleteTopics(List.of(on.topic())).topicNameValues());
        table.call("deleteTopics", "options", (admin, on) ->
            admin.deleteTopics(List.of(on.absent()), new DeleteTopicsOptions())
                .topicNameValues());
        table.call("deleteTopics", "by_id", (admin, on) ->
            admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id(admin, on))))
                .topicIdValues().values());
        table.call("deleteTopics", "by_id_with_options", (admin, on) ->
            admin.deleteTopics(
                TopicCollection.ofTopicIds(List.of(new Uuid(4711, 4711))),
                new DeleteTopicsOptions().retryOnQuotaViolation(false))
                .topicIdValues().values());
    }

    private static void descriptions(MethodTable<Admin> table) {
        table.call("listTopics", "defaults", (admin, on) ->
            List.of(on.topic(), on.mine(admin.listTopics().names().get(), name -> name)));
        table.call("listTopics", "internal", (admin, on) ->
            List.of(on.topic(), on.mine(
                admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get(),
                name -> name)));
        table.call("describeTopics", "defaults", (admin, on) ->
            admin.describeTopics(List.of(on.topic())).topicNameValues());
        table.call("describeTopics", "options", (admin, on) ->
            admin.describeTopics(
                List.of(on.topic()),
                new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .allTopicNames().get().get(on.topic()).authorizedOperations());
        table.call("describeTopics", "by_id", (admin, on) ->
            admin.describeTopics(TopicCollection.ofTopicIds(List.of(id(admin, on))))
                .topicIdValues().values());
        table.call("describeTopics", "in_pages", (admin, on) ->
            admin.describeTopics(
                TopicCollection.ofTopicNames(List.of(on.topic())),
                new DescribeTopicsOptions().partitionSizeLimitPerResponse(1)).topicNameValues());
        table.call("describeTopics", "absent", (admin, on) ->
            admin.describeTopics(List.of(on.absent())).topicNameValues());
        table.call("describeProducers", "defaults", (admin, on) ->
            admin.describeProducers(List.of(on.second())).all());
        table.call("describeProducers", "broker", (admin, on) ->
            admin.describeProducers(
                List.of(on.second()), new DescribeProducersOptions().brokerId(1)).all());
    }

    private static void records(MethodTable<Admin> table) {
        table.call("deleteRecords", "defaults", (admin, on) ->
            admin.deleteRecords(Map.of(on.first(), RecordsToDelete.beforeOffset(2)))
                .lowWatermarks().get(on.first()).get().lowWatermark());
        table.call("deleteRecords", "to_the_end", (admin, on) ->
            admin.deleteRecords(
                Map.of(on.first(), RecordsToDelete.beforeOffset(-1)),
                new DeleteRecordsOptions()).lowWatermarks().get(on.first()).get().lowWatermark());
        table.call("deleteRecords", "beyond_the_end", (admin, on) ->
            admin.deleteRecords(Map.of(on.first(), RecordsToDelete.beforeOffset(9))).all());
        table.call("listOffsets", "defaults", (admin, on) ->
            admin.listOffsets(Map.of(on.first(), OffsetSpec.latest())).all());
        table.call("listOffsets", "earliest", (admin, on) ->
            listed(admin, on, OffsetSpec.earliest()));
        table.call("listOffsets", "greatest_time", (admin, on) ->
            listed(admin, on, OffsetSpec.maxTimestamp()));
        table.call("listOffsets", "earliest_local", (admin, on) ->
            listed(admin, on, OffsetSpec.earliestLocal()));
        table.call("listOffsets", "tiered", (admin, on) ->
            listed(admin, on, OffsetSpec.latestTiered()));
        table.call("listOffsets", "at_a_time", (admin, on) ->
            listed(admin, on, OffsetSpec.forTimestamp(Fixtures.NOW + 1000)));
    }

    private static void places(MethodTable<Admin> table) {
        table.call("alterReplicaLogDirs", "defaults", (admin, on) -> admin.alterReplicaLogDirs(
            Map.of(new TopicPartitionReplica(on.topic(), 0, 1), directory(admin))).values());
        table.call("alterReplicaLogDirs", "absent_directory", (admin, on) ->
            admin.alterReplicaLogDirs(
                Map.of(new TopicPartitionReplica(on.topic(), 0, 1), "/no/such/directory"),
                new AlterReplicaLogDirsOptions()).values());
        table.call("describeLogDirs", "defaults", (admin, on) -> {
            on.topic();
            return on.mine(replicas(admin.describeLogDirs(List.of(1))), TopicPartition::topic)
                .stream().map(String::valueOf).sorted().toList();
        });
        table.call("describeLogDirs", "options", (admin, on) ->
            replicas(admin.describeLogDirs(List.of(1), new DescribeLogDirsOptions()))
                .contains(on.first()));
        table.call("describeReplicaLogDirs", "defaults", (admin, on) ->
            admin.describeReplicaLogDirs(List.of(new TopicPartitionReplica(on.topic(), 0, 1)))
                .all().get().values().iterator().next().getCurrentReplicaOffsetLag());
        table.call("describeReplicaLogDirs", "options", (admin, on) ->
            admin.describeReplicaLogDirs(
                List.of(new TopicPartitionReplica(on.absent(), 0, 1)),
                new DescribeReplicaLogDirsOptions()).all());
        table.call("electLeaders", "defaults", (admin, on) ->
            admin.electLeaders(ElectionType.PREFERRED, Set.of(on.first())).partitions());
        table.call("electLeaders", "unclean", (admin, on) ->
            admin.electLeaders(
                ElectionType.UNCLEAN, Set.of(on.first()), new ElectLeadersOptions()).partitions());
        table.call("alterPartitionReassignments", "defaults", (admin, on) ->
            admin.alterPartitionReassignments(Map.of(
                on.first(), Optional.of(new NewPartitionReassignment(List.of(1))))).values());
        table.call("alterPartitionReassignments", "cancelled", (admin, on) ->
            admin.alterPartitionReassignments(
                Map.of(on.first(), Optional.empty()),
                new AlterPartitionReassignmentsOptions()).values());
        table.call("listPartitionReassignments", "defaults", (admin, on) ->
            admin.listPartitionReassignments().reassignments());
        table.call("listPartitionReassignments", "partitions", (admin, on) ->
            admin.listPartitionReassignments(Set.of(on.first())).reassignments());
        table.call("listPartitionReassignments", "partitions_with_options", (admin, on) ->
            admin.listPartitionReassignments(
                Set.of(on.first()), new ListPartitionReassignmentsOptions()).reassignments());
        table.call("listPartitionReassignments", "options", (admin, on) ->
            admin.listPartitionReassignments(new ListPartitionReassignmentsOptions())
                .reassignments());
        table.call("listPartitionReassignments", "optional", (admin, on) ->
            admin.listPartitionReassignments(
                Optional.of(Set.of(on.first())), new ListPartitionReassignmentsOptions())
                .reassignments());
    }

    private static void configs(MethodTable<Admin> table) {
        table.call("describeConfigs", "defaults", (admin, on) ->
            admin.describeConfigs(List.of(resource(on))).all().get().get(resource(on)).entries()
                .stream().map(String::valueOf).sorted().toList());
        table.call("describeConfigs", "options", (admin, on) ->
            admin.describeConfigs(
                List.of(resource(on)), new DescribeConfigsOptions()
                    .includeSynonyms(true).includeDocumentation(true))
                .all().get().get(resource(on)).get("cleanup.policy").synonyms());
        table.call("describeConfigs", "absent", (admin, on) ->
            admin.describeConfigs(
                List.of(new ConfigResource(ConfigResource.Type.TOPIC, on.absent()))).all());
        table.call("incrementalAlterConfigs", "defaults", (admin, on) ->
            admin.incrementalAlterConfigs(change(on, "retention.ms", "7", OpType.SET)).values());
        table.call("incrementalAlterConfigs", "validate_only", (admin, on) ->
            admin.incrementalAlterConfigs(
                change(on, "retention.ms", "7", OpType.SET),
                new AlterConfigsOptions().validateOnly(true)).values());
        table.call("incrementalAlterConfigs", "append", (admin, on) ->
            admin.incrementalAlterConfigs(
                change(on, "cleanup.policy", "compact", OpType.APPEND)).values());
        table.call("incrementalAlterConfigs", "unknown", (admin, on) ->
            admin.incrementalAlterConfigs(change(on, "no.key", "7", OpType.SET)).values());
        table.call("listConfigResources", "defaults", (admin, on) -> {
            on.topic();
            return on.mine(admin.listConfigResources().all().get(), ConfigResource::name);
        });
        table.call("listConfigResources", "types", (admin, on) ->
            admin.listConfigResources(
                Set.of(ConfigResource.Type.BROKER), new ListConfigResourcesOptions()).all());
    }

    private static Object created(CreateTopicsResult result, Fixtures on) throws Exception {
        String name = on.named("t");
        return List.of(
            result.values().get(name), result.numPartitions(name),
            result.replicationFactor(name), result.config(name).get().get("cleanup.policy"));
    }

    private static Object listed(Admin admin, Fixtures on, OffsetSpec spec) throws Exception {
        return admin.listOffsets(Map.of(on.first(), spec), new ListOffsetsOptions()).all();
    }

    private static Uuid id(Admin admin, Fixtures on) throws Exception {
        return admin.describeTopics(List.of(on.topic())).allTopicNames().get().get(on.topic())
            .topicId();
    }

    private static String directory(Admin admin) throws Exception {
        return admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).keySet()
            .iterator().next();
    }

    private static Collection<TopicPartition> replicas(DescribeLogDirsResult result)
        throws Exception {
        return result.allDescriptions().get().get(1).values().iterator().next().replicaInfos()
            .keySet();
    }

    private static ConfigResource resource(Fixtures on) throws Exception {
        return new ConfigResource(ConfigResource.Type.TOPIC, on.topic());
    }

    private static Map<ConfigResource, Collection<AlterConfigOp>> change(
        Fixtures on, String key, String value, OpType operation) throws Exception {
        return Map.of(
            resource(on), List.of(new AlterConfigOp(new ConfigEntry(key, value), operation)));
    }
}
