import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/** A broker of one node. {@code options} are options of {@code antechamber serve}. */
public class BrokerContainer extends GenericContainer<BrokerContainer> {
    private static final int CLIENTS_PORT = 9092, NETWORK_PORT = 19092, ADMIN_PORT = 9644;
    private static final String SCRIPT = "/tmp/start.sh";
    private static final String WAIT_FOR_SCRIPT =
            "until [ -s " + SCRIPT + " ]; do sleep 0.05; done; exec sh " + SCRIPT;

    private final String token = UUID.randomUUID().toString();
    private final HttpClient http = HttpClient.newHttpClient();
    private final String options;

    public BrokerContainer(String... options) {
        super("antechamber");
        this.options = String.join(" ", options);
        withExposedPorts(CLIENTS_PORT, ADMIN_PORT);
        withEnv("ANTECHAMBER_ADMIN_TOKEN", token);
        withCreateContainerCmdModifier(
                command -> command.withEntrypoint("sh", "-c", WAIT_FOR_SCRIPT));
        waitingFor(Wait.forLogMessage("antechamber is ready: .*", 1));
    }

    /** The bootstrap servers for clients of the host. */
    public String getBootstrapServers() {
        return getHost() + ":" + getMappedPort(CLIENTS_PORT);
    }

    /** The bootstrap servers for other containers of its network. */
    public String getNetworkBootstrapServers() {
        return getNetworkAliases().get(0) + ":" + NETWORK_PORT;
    }

    /** Waits until a request of this API for the topic waits in the broker. */
    public void waitParked(String api, String topic) throws IOException, InterruptedException {
        admin("GET", "/v1/wait?for=parked&timeout_ms=60000&api=" + api + "&topic=" + topic);
    }

    /** Returns the response of the admin interface; docs/reference/admin.md has its paths. */
    public String admin(String method, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://" + getHost() + ":" + getMappedPort(ADMIN_PORT) + path);
        var request = HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + token)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        var response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(response.body());
        }
        return response.body();
    }

    @Override
    protected void containerIsStarting(InspectContainerResponse started) {
        String advertised = "CLIENTS://" + getBootstrapServers()
                + ",NETWORK://" + getNetworkBootstrapServers();
        copyFileToContainer(Transferable.of(String.join(" ",
                "exec antechamber serve",
                "--admin-host 0.0.0.0 --admin-protocol http",
                "-c listeners=CLIENTS://:" + CLIENTS_PORT + ",NETWORK://:" + NETWORK_PORT,
                "-c advertised.listeners=" + advertised,
                "-c listener.security.protocol.map=CLIENTS:PLAINTEXT,NETWORK:PLAINTEXT",
                "-c inter.broker.listener.name=NETWORK",
                options)), SCRIPT);
    }
}
