import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command-line tools, one after another in one JVM, because starting a JVM takes longer
 * than most tools.
 *
 * Reads {"tool": CLASS, "arguments": [...], "input": TEXT}, a line each, and prints
 * {"exit": CODE, "output": TEXT, "errors": TEXT}.
 */
public class KafkaTools {
    private static class Exited extends Error {}

    // The first exit code of a tool; a tool that catches its exception sets another one.
    private static Integer code;

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream responses = System.out;
        // The streams never change, because Scala's Console keeps the first ones.
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true));
        System.setErr(new PrintStream(errors, true));
        List<Runnable> hooks = new ArrayList<>();
        Exit.setExitProcedure((code, message) -> {
            if (KafkaTools.code == null) KafkaTools.code = code;
            throw new Exited();
        });
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        ObjectMapper json = new ObjectMapper();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            code = null;
            run(json.readTree(line));
            hooks.forEach(Runnable::run);
            hooks.clear();
            responses.println(json.writeValueAsString(Map.of(
                "exit", code == null ? 0 : code,
                "output", output.toString(),
                "errors", errors.toString())));
            output.reset();
            errors.reset();
        }
    }

    private static void run(JsonNode request) throws Exception {
        List<String> words = new ArrayList<>();
        request.get("arguments").forEach(argument -> words.add(argument.asText()));
        System.setIn(new ByteArrayInputStream(request.get("input").asText().getBytes("UTF-8")));
        Class<?> tool = Class.forName(request.get("tool").asText());
        try {
            tool.getMethod("main", String[].class).invoke(
                null, (Object) words.toArray(new String[0]));
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof Exited) return;
            failed.getCause().printStackTrace();
            code = 1;
        }
    }
}
