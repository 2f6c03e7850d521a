package methods;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.*;

/** Methods of Admin about share groups (KIP-932) and streams groups (KIP-1071). */
class AdminOtherGroups {
    static void add(Net<Admin> net) {
        share(net);
        streams(net);
    }

    private static void share(Net<Admin> net) {
        net.call("describeShareGroups", "defaults", (admin, on) ->
            admin.describeShareGroups(List.of(on.absent())).all());
        net.call("describeShareGroups", "options", (admin, on) ->
            admin.describeShareGroups(List.of(on.absent()), new DescribeShareGroupsOptions())
                .all());
        net.call("alterShareGroupOffsets", "defaults", (admin, on) ->
            admin.alterShareGroupOffsets(on.absent(), Map.of(on.first(), 1L)).all());
        net.call("alterShareGroupOffsets", "options", (admin, on) ->
            admin.alterShareGroupOffsets(
                on.absent(), Map.of(on.first(), 1L), new AlterShareGroupOffsetsOptions()).all());
        net.call("listShareGroupOffsets", "defaults", (admin, on) ->
            admin.listShareGroupOffsets(Map.of(on.absent(), new ListShareGroupOffsetsSpec()))
                .all());
        net.call("listShareGroupOffsets", "options", (admin, on) ->
            admin.listShareGroupOffsets(
                Map.of(on.absent(), new ListShareGroupOffsetsSpec()),
                new ListShareGroupOffsetsOptions()).all());
        net.call("deleteShareGroupOffsets", "defaults", (admin, on) ->
            admin.deleteShareGroupOffsets(on.absent(), Set.of(on.topic())).all());
        net.call("deleteShareGroupOffsets", "options", (admin, on) ->
            admin.deleteShareGroupOffsets(
                on.absent(), Set.of(on.topic()), new DeleteShareGroupOffsetsOptions()).all());
        net.call("deleteShareGroups", "defaults", (admin, on) ->
            admin.deleteShareGroups(List.of(on.absent())).all());
        net.call("deleteShareGroups", "options", (admin, on) ->
            admin.deleteShareGroups(List.of(on.absent()), new DeleteShareGroupsOptions()).all());
    }

    private static void streams(Net<Admin> net) {
        net.call("describeStreamsGroups", "defaults", (admin, on) ->
            admin.describeStreamsGroups(List.of(on.absent())).all());
        net.call("describeStreamsGroups", "options", (admin, on) ->
            admin.describeStreamsGroups(List.of(on.absent()), new DescribeStreamsGroupsOptions())
                .all());
        net.call("listStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.listStreamsGroupOffsets(Map.of(on.group(), new ListStreamsGroupOffsetsSpec()))
                .all());
        net.call("listStreamsGroupOffsets", "options", (admin, on) ->
            admin.listStreamsGroupOffsets(
                Map.of(on.group(), new ListStreamsGroupOffsetsSpec()),
                new ListStreamsGroupOffsetsOptions()).all());
        net.call("alterStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.alterStreamsGroupOffsets(on.group(), AdminGroups.offset(on.first())).all());
        net.call("alterStreamsGroupOffsets", "options", (admin, on) ->
            admin.alterStreamsGroupOffsets(
                on.group(), AdminGroups.offset(on.first()),
                new AlterStreamsGroupOffsetsOptions()).all());
        net.call("deleteStreamsGroupOffsets", "defaults", (admin, on) ->
            admin.deleteStreamsGroupOffsets(on.group(), Set.of(on.first())).all());
        net.call("deleteStreamsGroupOffsets", "options", (admin, on) ->
            admin.deleteStreamsGroupOffsets(
                on.group(), Set.of(on.first()), new DeleteStreamsGroupOffsetsOptions()).all());
        net.call("deleteStreamsGroups", "defaults", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.group())).all());
        net.call("deleteStreamsGroups", "options", (admin, on) ->
            admin.deleteStreamsGroups(List.of(on.absent()), new DeleteStreamsGroupsOptions())
                .all());
    }
}
