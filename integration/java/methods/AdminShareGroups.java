package methods;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.TopicPartition;

/** Methods of Admin about share groups (KIP-932). */
class AdminShareGroups {
    static void add(MethodTable<Admin> table) {
        table.call("describeShareGroups", "defaults", (admin, on) ->
            admin.describeShareGroups(List.of(on.absent())).all());
        table.call("describeShareGroups", "options", (admin, on) ->
            admin.describeShareGroups(List.of(on.absent()), new DescribeShareGroupsOptions())
                .all());
        table.call("describeShareGroups", "existing", (admin, on) ->
            admin.describeShareGroups(List.of(on.shareGroup())).all());
        table.call("alterShareGroupOffsets", "defaults", (admin, on) ->
            admin.alterShareGroupOffsets(on.absent(), Map.of(on.first(), 1L)).all());
        table.call("alterShareGroupOffsets", "options", (admin, on) ->
            admin.alterShareGroupOffsets(
                on.absent(), Map.of(on.first(), 1L), new AlterShareGroupOffsetsOptions()).all());
        table.call("alterShareGroupOffsets", "existing", (admin, on) ->
            admin.alterShareGroupOffsets(on.shareGroup(), Map.of(on.first(), 2L)).all());
        table.call("alterShareGroupOffsets", "absent_topic", (admin, on) ->
            admin.alterShareGroupOffsets(
                on.shareGroup(), Map.of(new TopicPartition(on.absent(), 0), 2L)).all());
        table.call("listShareGroupOffsets", "defaults", (admin, on) ->
            admin.listShareGroupOffsets(Map.of(on.absent(), new ListShareGroupOffsetsSpec()))
                .all());
        table.call("listShareGroupOffsets", "options", (admin, on) ->
            admin.listShareGroupOffsets(
                Map.of(on.absent(), new ListShareGroupOffsetsSpec()),
                new ListShareGroupOffsetsOptions()).all());
        table.call("listShareGroupOffsets", "existing", (admin, on) ->
            admin.listShareGroupOffsets(Map.of(on.shareGroup(), new ListShareGroupOffsetsSpec()))
                .all());
        table.call("deleteShareGroupOffsets", "defaults", (admin, on) ->
            admin.deleteShareGroupOffsets(on.absent(), Set.of(on.topic())).all());
        table.call("deleteShareGroupOffsets", "options", (admin, on) ->
            admin.deleteShareGroupOffsets(
                on.absent(), Set.of(on.topic()), new DeleteShareGroupOffsetsOptions()).all());
        table.call("deleteShareGroupOffsets", "existing", (admin, on) ->
            admin.deleteShareGroupOffsets(on.shareGroup(), Set.of(on.topic())).all());
        table.call("deleteShareGroupOffsets", "absent_topic", (admin, on) ->
            admin.deleteShareGroupOffsets(on.shareGroup(), Set.of(on.absent())).all());
        table.call("deleteShareGroups", "defaults", (admin, on) ->
            admin.deleteShareGroups(List.of(on.absent())).all());
        table.call("deleteShareGroups", "options", (admin, on) ->
            admin.deleteShareGroups(List.of(on.absent()), new DeleteShareGroupsOptions()).all());
        table.call("deleteShareGroups", "existing", (admin, on) ->
            admin.deleteShareGroups(List.of(on.shareGroup())).all());
    }
}
