import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** The admin interface of a broker that is served; copy this class into a project. */
public class Broker {
    private final HttpClient http = HttpClient.newHttpClient();
    private final String admin;

    public Broker(String admin) {
        this.admin = admin;
    }

    /** Sets a fault rule, in JSON; returns its id. */
    public String addFault(String rule) throws IOException, InterruptedException {
        var json = HttpRequest.newBuilder(URI.create(admin + "/v1/faults"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(rule));
        var id = Pattern.compile("\"id\": (\\d+)").matcher(send(json.build()));
        id.find();
        return id.group(1);
    }

    /** Waits until a condition holds: {@code for=parked&api=Produce&topic=orders}. */
    public String await(String condition) throws IOException, InterruptedException {
        var path = admin + "/v1/wait?timeout_ms=30000&" + condition;
        return send(HttpRequest.newBuilder(URI.create(path)).build());
    }

    /** Changes the clock or a node: {@code clock/advance?ms=45000}, {@code nodes/2/pause}. */
    public String change(String what) throws IOException, InterruptedException {
        var path = URI.create(admin + "/v1/" + what);
        return send(HttpRequest.newBuilder(path).POST(BodyPublishers.noBody()).build());
    }

    private String send(HttpRequest request) throws IOException, InterruptedException {
        var response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(request.uri() + ": " + response.body().strip());
        }
        return response.body();
    }
}
