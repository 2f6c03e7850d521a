package methods;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;

/** A member of a streams group, which sends heartbeats without an application. */
class StreamsMember {
    private static final short VERSION = 0;

    private final String host;
    private final int port;
    private final String group;
    private final String id = Uuid.randomUuid().toString();
    private int epoch;

    /** Joins the group, with a topology that has a source topic and a changelog topic. */
    StreamsMember(String bootstrap, String group, String topic) throws Exception {
        int colon = bootstrap.lastIndexOf(':');
        host = bootstrap.substring(0, colon);
        port = Integer.parseInt(bootstrap.substring(colon + 1));
        this.group = group;
        var changelog = new TopicInfo().setName(group + "-changelog").setReplicationFactor((short) -1);
        heartbeat(heartbeat()
            .setProcessId(UUID.randomUUID().toString())
            .setRebalanceTimeoutMs(60_000)
            .setClientTags(List.of())
            .setActiveTasks(List.of())
            .setStandbyTasks(List.of())
            .setWarmupTasks(List.of())
            .setTopology(new Topology().setSubtopologies(List.of(new Subtopology()
                .setSubtopologyId("0")
                .setSourceTopics(List.of(topic))
                .setStateChangelogTopics(List.of(changelog))))));
    }

    /** Sends a heartbeat; returns whether the response assigns tasks. */
    boolean getsTasks() throws Exception {
        var tasks = heartbeat(heartbeat()).activeTasks();
        return tasks != null && !tasks.isEmpty();
    }

    /** Leaves the group. */
    void leave() throws Exception {
        epoch = StreamsGroupHeartbeatRequest.LEAVE_GROUP_MEMBER_EPOCH;
        heartbeat(heartbeat());
    }

    private StreamsGroupHeartbeatRequestData heartbeat() {
        return new StreamsGroupHeartbeatRequestData()
            .setGroupId(group).setMemberId(id).setMemberEpoch(epoch);
    }

    private StreamsGroupHeartbeatResponseData heartbeat(StreamsGroupHeartbeatRequestData request)
        throws Exception {
        var header = new RequestHeader(ApiKeys.STREAMS_GROUP_HEARTBEAT, VERSION, "member", 1);
        ByteBuffer sent = new StreamsGroupHeartbeatRequest.Builder(request).build(VERSION)
            .serializeWithHeader(header);
        byte[] received;
        try (Socket socket = new Socket(host, port)) {
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(sent.remaining());
            out.write(sent.array(), sent.arrayOffset() + sent.position(), sent.remaining());
            var in = new DataInputStream(socket.getInputStream());
            received = in.readNBytes(in.readInt());
        }
        var response = (StreamsGroupHeartbeatResponse)
            AbstractResponse.parseResponse(ByteBuffer.wrap(received), header);
        Errors.forCode(response.data().errorCode()).maybeThrow();
        epoch = response.data().memberEpoch();
        return response.data();
    }
}
