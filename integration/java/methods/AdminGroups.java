package methods;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

/** Methods of Admin about groups of consumers, and about transactions. */
class AdminGroups {
    static void add(MethodTable<Admin> table) {
        listings(table);
        offsets(table);
        members(table);
        transactions(table);
    }

    private static void listings(MethodTable<Admin> table) {
        table.call("listGroups", "defaults", (admin, on) -> {
            on.group();
            return on.mine(admin.listGroups().all().get(), GroupListing::groupId);
        });
        table.call("listGroups", "options", (admin, on) -> {
            on.group();
            return on.mine(admin.listGroups(new ListGroupsOptions()
                .inGroupStates(Set.of(GroupState.EMPTY)).withTypes(Set.of(GroupType.CLASSIC)))
                .all().get(), GroupListing::groupId);
        });
        table.call("listConsumerGroups", "defaults", (admin, on) -> {
            on.group();
            return on.mine(
                admin.listConsumerGroups().all().get(), ConsumerGroupListing::groupId);
        });
        table.call("listConsumerGroups", "options", (admin, on) -> {
            on.group();
            return on.mine(
                admin.listConsumerGroups(new ListConsumerGroupsOptions()
                    .inGroupStates(Set.of(GroupState.STABLE))).all().get(),
                ConsumerGroupListing::groupId);
        });
        table.call("describeConsumerGroups", "defaults", (admin, on) ->
            admin.describeConsumerGroups(List.of(on.group())).all());
        table.call("describeConsumerGroups", "options", (admin, on) ->
            admin.describeConsumerGroups(
                List.of(on.group()),
                new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true))
                .all().get().get(on.group()).authorizedOperations());
        table.call("describeConsumerGroups", "absent", (admin, on) ->
            admin.describeConsumerGroups(List.of(on.absent())).all());
        table.call("describeClassicGroups", "defaults", (admin, on) ->
            admin.describeClassicGroups(List.of(on.group())).all());
        table.call("describeClassicGroups", "options", (admin, on) ->
            admin.describeClassicGroups(
                List.of(on.absent()), new DescribeClassicGroupsOptions()).all());
    }

    private static void offsets(MethodTable<Admin> table) {
        table.call("listConsumerGroupOffsets", "defaults", (admin, on) ->
            admin.listConsumerGroupOffsets(on.group()).all());
        table.call("listConsumerGroupOffsets", "options", (admin, on) ->
            admin.listConsumerGroupOffsets(
                on.group(), new ListConsumerGroupOffsetsOptions().requireStable(true)).all());
        table.call("listConsumerGroupOffsets", "specs", (admin, on) ->
            admin.listConsumerGroupOffsets(Map.of(on.group(), spec(on))).all());
        table.call("listConsumerGroupOffsets", "specs_with_options", (admin, on) ->
            admin.listConsumerGroupOffsets(
                Map.of(on.group(), spec(on)), new ListConsumerGroupOffsetsOptions()).all());
        table.call("alterConsumerGroupOffsets", "defaults", (admin, on) ->
            admin.alterConsumerGroupOffsets(on.group(), offset(on.first())).all());
        table.call("alterConsumerGroupOffsets", "options", (admin, on) ->
            admin.alterConsumerGroupOffsets(
                on.group(), offset(new TopicPartition(on.absent(), 0)),
                new AlterConsumerGroupOffsetsOptions()).all());
        table.call("deleteConsumerGroupOffsets", "defaults", (admin, on) ->
            admin.deleteConsumerGroupOffsets(on.group(), Set.of(on.first())).all());
        table.call("deleteConsumerGroupOffsets", "options", (admin, on) ->
            admin.deleteConsumerGroupOffsets(
                on.group(), Set.of(on.second()), new DeleteConsumerGroupOffsetsOptions()).all());
    }

    private static void members(MethodTable<Admin> table) {
        table.call("deleteConsumerGroups", "defaults", (admin, on) ->
            admin.deleteConsumerGroups(List.of(on.group())).deletedGroups());
        table.call("deleteConsumerGroups", "options", (admin, on) ->
            admin.deleteConsumerGroups(List.of(on.absent()), new DeleteConsumerGroupsOptions())
                .deletedGroups());
        table.call("removeMembersFromConsumerGroup", "options", (admin, on) -> {
            on.member(on.named("own"), "me");
            var options = new RemoveMembersFromConsumerGroupOptions(
                List.of(new MemberToRemove("me")));
            return admin.removeMembersFromConsumerGroup(on.named("own"), options).all();
        });
        table.call("removeMembersFromConsumerGroup", "all", (admin, on) -> {
            on.member(on.named("own"), null);
            return admin.removeMembersFromConsumerGroup(
                on.named("own"), new RemoveMembersFromConsumerGroupOptions()).all();
        });
    }

    private static void transactions(MethodTable<Admin> table) {
        table.call("describeTransactions", "defaults", (admin, on) ->
            admin.describeTransactions(List.of(on.absent())).all());
        table.call("describeTransactions", "options", (admin, on) ->
            admin.describeTransactions(List.of(on.absent()), new DescribeTransactionsOptions())
                .all());
        table.call("abortTransaction", "defaults", (admin, on) ->
            admin.abortTransaction(spec(on, 0)).all());
        table.call("abortTransaction", "options", (admin, on) ->
            admin.abortTransaction(spec(on, 1), new AbortTransactionOptions()).all());
        table.call("listTransactions", "defaults", (admin, on) ->
            on.mine(admin.listTransactions().all().get(), TransactionListing::transactionalId));
        table.call("listTransactions", "options", (admin, on) ->
            on.mine(admin.listTransactions(new ListTransactionsOptions()
                .filterStates(Set.of(TransactionState.ONGOING)).filterOnDuration(1000))
                .all().get(), TransactionListing::transactionalId));
        table.call("fenceProducers", "defaults", (admin, on) ->
            admin.fenceProducers(List.of(on.absent())).fencedProducers());
        table.call("fenceProducers", "options", (admin, on) ->
            admin.fenceProducers(List.of(on.absent()), new FenceProducersOptions())
                .fencedProducers());
        table.call("forceTerminateTransaction", "defaults", (admin, on) ->
            admin.forceTerminateTransaction(on.absent()).result());
        table.call("forceTerminateTransaction", "options", (admin, on) ->
            admin.forceTerminateTransaction(on.absent(), new TerminateTransactionOptions())
                .result());
    }

    private static ListConsumerGroupOffsetsSpec spec(Fixtures on) throws Exception {
        return new ListConsumerGroupOffsetsSpec()
            .topicPartitions(List.of(on.first(), on.second()));
    }

    private static AbortTransactionSpec spec(Fixtures on, int epoch) throws Exception {
        return new AbortTransactionSpec(on.first(), 4711, (short) epoch, -1);
    }

    static Map<TopicPartition, OffsetAndMetadata> offset(TopicPartition partition) {
        return Map.of(partition, new OffsetAndMetadata(2, "of mine"));
    }
}
