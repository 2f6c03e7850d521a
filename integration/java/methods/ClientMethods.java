package methods;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * Runs the tables of the Java clients on a broker: ADDRESS [TEXT]. Only shapes with TEXT in their
 * name run.
 *
 * Prints JSON: the release and the public methods, each outcome, and at the end the overloads that
 * no shape called.
 */
public class ClientMethods {
    private static final int AT_ONCE = 8;

    private final ObjectMapper json = new ObjectMapper();
    private final String bootstrap;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;
    private final Map<String, Set<String>> invoked = new ConcurrentHashMap<>();

    private ClientMethods(String bootstrap) {
        this.bootstrap = bootstrap;
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
        admin = Admin.create(settings);
        var strings = new StringSerializer();
        producer = new KafkaProducer<>(settings, strings, strings);
    }

    public static void main(String[] arguments) throws Exception {
        List<MethodTable<?>> tables = List.of(
            AdminTable.table(), ProducerTable.table(), ConsumerTable.table(),
            ShareConsumerTable.table());
        String only = arguments.length > 1 ? arguments[1] : "";
        new ClientMethods(arguments[0]).play(tables, only);
        System.exit(0);
    }

    private void play(List<MethodTable<?>> tables, String only) throws Exception {
        Map<String, Object> methods = new HashMap<>();
        tables.forEach(table -> methods.put(table.name, names(table.of)));
        print(Map.of("release", AppInfoParser.getVersion(), "public", methods));
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<?>> played = new ArrayList<>();
        for (MethodTable<?> table : tables) {
            for (String name : table.shapes.keySet()) {
                if (!(table.name + " " + name).contains(only)) continue;
                played.add(pool.submit(() -> {
                    print(play(table, name));
                    return null;
                }));
            }
        }
        for (Future<?> each : played) each.get();
        Map<String, Object> uncalled = new HashMap<>();
        tables.forEach(table -> uncalled.put(table.name, uncalled(table)));
        print(Map.of("uncalled", uncalled));
    }

    private <C> Map<String, Object> play(MethodTable<C> table, String name) {
        long begin = System.nanoTime();
        String method = name.substring(0, name.indexOf('/'));
        Set<String> used = new TreeSet<>();
        Fixtures on = new Fixtures(bootstrap, table.name + "/" + name, admin, producer);
        Object outcome;
        try (on) {
            on.watch = client -> watched(table, client, used);
            C client = on.client(table, Map.of());
            outcome = JsonValues.of(table.shapes.get(name).call(client, on));
        } catch (ExecutionException failed) {
            outcome = JsonValues.of(failed.getCause());
        } catch (Throwable failed) {
            outcome = JsonValues.of(failed);
        }
        Map<String, Object> result = new HashMap<>();
        result.put("client", table.name);
        result.put("method", method);
        result.put("shape", name.substring(name.indexOf('/') + 1));
        result.put("calls_it", used.contains(method));
        result.put("took_ms", (System.nanoTime() - begin) / 1_000_000);
        result.put("outcome", outcome);
        return result;
    }

    /** Returns a proxy of a client that notes the called methods. */
    private Object watched(MethodTable<?> table, Object client, Set<String> used) {
        Set<String> signatures =
            invoked.computeIfAbsent(table.name, name -> ConcurrentHashMap.newKeySet());
        return Proxy.newProxyInstance(
            table.of.getClassLoader(), new Class<?>[] {table.of}, (proxy, method, arguments) -> {
                used.add(method.getName());
                signatures.add(signature(method));
                try {
                    return method.invoke(client, arguments);
                } catch (InvocationTargetException failed) {
                    throw failed.getCause();
                }
            });
    }

    private Set<String> uncalled(MethodTable<?> table) {
        Set<String> left = methods(table.of).stream()
            .map(ClientMethods::signature).collect(Collectors.toCollection(TreeSet::new));
        left.removeAll(invoked.getOrDefault(table.name, Set.of()));
        return left;
    }

    private static Set<String> names(Class<?> of) {
        return methods(of).stream().map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Method> methods(Class<?> of) {
        return Arrays.stream(of.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .collect(Collectors.toList());
    }

    private static String signature(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName)
            .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }

    private synchronized void print(Object line) throws Exception {
        System.out.println(json.writeValueAsString(line));
    }
}
