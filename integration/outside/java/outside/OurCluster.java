package outside;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Utils;

/** The process with all nodes of one cluster of ours; its settings are of the first start. */
public final class OurCluster implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> COMMAND =
        List.of(System.getProperty("outside.command").split("\n"));
    private static final int STARTS_WITHIN_SECONDS = 30;
    private static final int STOPS_WITHIN_SECONDS = 20;
    private static final int HIGH_WATERMARK_WITHIN_MS = 600;

    private final int first;
    private final int count;
    private final Path folder;
    private final Map<Integer, Map<String, Integer>> ports = new HashMap<>();
    private List<String> options = List.of();
    private Process process;
    private String admin;

    /** Its nodes have `count` ids from `first`. */
    public OurCluster(int first, int count) {
        this.first = first;
        this.count = count;
        try {
            folder = Files.createTempDirectory("antechamber-outside-");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Start all nodes with the data of an earlier start, unless some run already. */
    public void startAll(List<String> wanted) {
        if (process != null && (wanted.equals(options) || hasRunningNodes())) {
            return;
        }
        stopProcess();
        options = wanted;
        File ready = folder.resolve("ready.json").toFile();
        ready.delete();
        List<String> command = new ArrayList<>(COMMAND);
        command.addAll(List.of(
            "serve", "--stop-with-stdin", "--admin-port", "0", "--brokers", "" + count,
            "--ready-file", ready.getPath(), "--data-dir", folder.resolve("data").toString(),
            "-c", "node.id=" + first));
        command.addAll(options);
        try {
            startProcess(command, ready);
            read(JSON.readTree(ready));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    private void startProcess(List<String> command, File ready)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        process = new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTS_WITHIN_SECONDS);
        while (!ready.exists()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                process.destroyForcibly();
                process = null;
                throw new IllegalStateException("no start: " + Files.readString(output).strip());
            }
            Thread.sleep(10);
        }
    }

    private void read(JsonNode facts) {
        admin = facts.get("admin").asText();
        ports.clear();
        facts.get("listeners").properties().forEach(listener -> {
            String[] addresses = listener.getValue().asText().split(",");
            for (int index = 0; index < count; index++) {
                String port = addresses[index].substring(addresses[index].lastIndexOf(':') + 1);
                ports.computeIfAbsent(first + index, node -> new HashMap<>())
                    .put(listener.getKey(), Integer.parseInt(port));
            }
        });
    }

    /** The directory with a node's logs. */
    public File directory(int node) {
        return folder.resolve("data").resolve("node-" + node).toFile();
    }

    /** The port of a node's listener. */
    public int port(int node, String listener) {
        return ports.get(node).get(listener);
    }

    /** The addresses of a listener of all nodes. */
    public String bootstrap(String listener) {
        List<String> addresses = new ArrayList<>();
        for (int node = first; node < first + count; node++) {
            addresses.add("localhost:" + port(node, listener));
        }
        return String.join(",", addresses);
    }

    /** The cluster as the admin interface describes it. */
    public JsonNode facts() {
        return request("GET", "/v1/cluster");
    }

    /** Whether a node runs. */
    public boolean runs(int node) {
        if (process != null) {
            for (JsonNode each : facts().get("nodes")) {
                if (each.get("id").asInt() == node) {
                    return each.get("state").asText().equals("running");
                }
            }
        }
        return false;
    }

    private boolean hasRunningNodes() {
        for (JsonNode each : facts().get("nodes")) {
            if (each.get("state").asText().equals("running")) {
                return true;
            }
        }
        return false;
    }

    /** Shut a node down in an orderly way, if it runs. */
    public void shutDown(int node) {
        if (runs(node)) {
            try {
                // Followers get the latest high watermark while a broker of Kafka shuts down.
                Thread.sleep(HIGH_WATERMARK_WITHIN_MS);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
            request("POST", "/v1/nodes/" + node + "/shutdown");
        }
    }

    /** Start a node that was shut down. */
    public void start(int node) {
        if (!runs(node)) {
            request("POST", "/v1/nodes/" + node + "/start");
        }
    }

    private JsonNode request(String method, String path) {
        try {
            URI address = URI.create(admin + path);
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            connection.setRequestMethod(method);
            // Tests look for threads that remain, such as those of kept connections.
            connection.setRequestProperty("Connection", "close");
            return JSON.readTree(connection.getInputStream());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void stopProcess() {
        if (process == null) {
            return;
        }
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
        process = null;
    }

    @Override
    public void close() {
        stopProcess();
        Utils.closeQuietly(() -> Utils.delete(folder.toFile()), "data");
    }
}
