package methods;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

/** Methods of Admin about streams groups (KIP-1071). */
class AdminStreamsGroups {
    static void add(MethodTable<Admin> table) {
        descriptions(table);
        offsets(table);
        deletions(table);
        otherMethods(table);
    }

    private static void descriptions(MethodTable<Admin> table) {
        table.call("describeStreamsGroups", "defaults", (admin, on) ->
            admin.describeStreamsGroups(List.of(on.absent())).all());
        table.call("describeStreamsGroups", "options", (admin, on) ->
            admin.describeStreamsGroups(List.of(on.absent()), new DescribeStreamsGroupsOptions())
                .all());
        table.call("describeStreamsGroups", "existing", (admin, on) ->
            parts(admin.describeStreamsGroups(List.of(on.streamsGroup())), on));
        table.call("describeStreamsGroups", "empty", (admin, on) ->
            parts(admin.describeStreamsGroups(List.of(on.emptyStreamsGroup())), on));
        table.call("describeStreamsGroups", "of_consumers", (admin, on) ->
            admin.describeStreamsGroups(List.of(on.group())).all());
        table.call("describeStreamsGroups", "operations", (admin, on) -> {
            String group = on.emptyStreamsGroup();
            var options = new DescribeStreamsGroupsOptions().includeAuthorizedOperations(true);
            return admin.describeStreamsGroups(List.of(group), options)
                .all().get().get(group).authorizedOperations();
        });
    }

    /** Returns what is described, because the description has no text without its operations. */
    private static Object parts(DescribeStreamsGroupsResult result, Fixtures on) throws Exception {
        StreamsGroupDescription group = result.all().get().get(on.named("streams-group"));
        return List.of(
            group.groupEpoch(), group.targetAssignmentEpoch(), group.topologyEpoch(),
            group.groupState(), group.coordinator(), group.subtopologies(), group.members());
    }

    private static void offsets(MethodTable<Admin> table) {
        table.call("listStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.listStreamsGroupOffsets(Map.of(on.group(), new ListStreamsGroupOffsetsSpec()))
                .all());
        table.call("listStreamsGroupOffsets", "options", (admin, on) ->
            admin.listStreamsGroupOffsets(
                Map.of(on.group(), new ListStreamsGroupOffsetsSpec()),
                new ListStreamsGroupOffsetsOptions()).all());
        table.call("listStreamsGroupOffsets", "existing", (admin, on) ->
            admin.listStreamsGroupOffsets(
                Map.of(on.emptyStreamsGroup(), new ListStreamsGroupOffsetsSpec())).all());
        table.call("listStreamsGroupOffsets", "partitions", (admin, on) -> {
            var spec = new ListStreamsGroupOffsetsSpec()
                .topicPartitions(List.of(on.first(), on.second()));
            return admin.listStreamsGroupOffsets(Map.of(on.emptyStreamsGroup(), spec)).all();
        });
        table.call("alterStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.alterStreamsGroupOffsets(on.group(), AdminGroups.offset(on.first())).all());
        table.call("alterStreamsGroupOffsets", "options", (admin, on) ->
            admin.alterStreamsGroupOffsets(
                on.group(), AdminGroups.offset(on.first()),
                new AlterStreamsGroupOffsetsOptions()).all());
        table.call("alterStreamsGroupOffsets", "existing", (admin, on) ->
            admin.alterStreamsGroupOffsets(
                on.emptyStreamsGroup(), AdminGroups.offset(on.first())).all());
        table.call("alterStreamsGroupOffsets", "with_member", (admin, on) ->
            admin.alterStreamsGroupOffsets(
                on.streamsGroup(), AdminGroups.offset(on.first())).all());
    }

    private static void deletions(MethodTable<Admin> table) {
        table.call("deleteStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.deleteStreamsGroupOffsets(on.group(), Set.of(on.first())).all());
        table.call("deleteStreamsGroupOffsets", "options", (admin, on) ->
            admin.deleteStreamsGroupOffsets(
                on.group(), Set.of(on.first()), new DeleteStreamsGroupOffsetsOptions()).all());
        table.call("deleteStreamsGroupOffsets", "existing", (admin, on) ->
            admin.deleteStreamsGroupOffsets(on.emptyStreamsGroup(), Set.of(on.first())).all());
        table.call("deleteStreamsGroupOffsets", "with_member", (admin, on) ->
            admin.deleteStreamsGroupOffsets(on.streamsGroup(), Set.of(on.first())).all());
        table.call("deleteStreamsGroupOffsets", "other_topic", (admin, on) ->
            admin.deleteStreamsGroupOffsets(
                on.streamsGroup(), Set.of(new TopicPartition(on.emptyTopic("other", 1), 0))).all());
        table.call("deleteStreamsGroups", "defaults", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.group())).all());
        table.call("deleteStreamsGroups", "options", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.absent()), new DeleteStreamsGroupsOptions())
                .all());
        table.call("deleteStreamsGroups", "existing", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.emptyStreamsGroup())).all());
        table.call("deleteStreamsGroups", "with_member", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.streamsGroup())).all());
    }

    /** Methods about groups of all types, and of other types. */
    private static void otherMethods(MethodTable<Admin> table) {
        table.call("listGroups", "of_streams", (admin, on) -> {
            on.streamsGroup();
            return on.mine(
                admin.listGroups(new ListGroupsOptions().withTypes(Set.of(GroupType.STREAMS)))
                    .all().get(), GroupListing::groupId);
        });
        table.call("listConsumerGroups", "of_streams", (admin, on) -> {
            on.streamsGroup();
            return on.mine(admin.listConsumerGroups().all().get(), ConsumerGroupListing::groupId);
        });
        table.call("describeConsumerGroups", "of_streams", (admin, on) ->
            admin.describeConsumerGroups(List.of(on.streamsGroup())).all());
        table.call("describeClassicGroups", "of_streams", (admin, on) ->
            admin.describeClassicGroups(List.of(on.streamsGroup())).all());
        table.call("describeShareGroups", "of_streams", (admin, on) ->
            admin.describeShareGroups(List.of(on.streamsGroup())).all());
        table.call("removeMembersFromConsumerGroup", "of_streams", (admin, on) ->
            admin.removeMembersFromConsumerGroup(
                on.streamsGroup(), new RemoveMembersFromConsumerGroupOptions()).all());
    }
}
