import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;

/**
 * Reads traces of a purgatory from standard input and prints the behaviour of Apache Kafka's.
 *
 * <pre>
 *   trace PURGE_INTERVAL             begin a new one
 *   watch ID DELAY CHECK CHAIN KEY...  a new operation: ready at its CHECK-th check (0: by a step);
 *                                    when completed it checks key CHAIN ("-": none)
 *   again ID KEY...                  watch an operation once more
 *   ready ID | force ID | run ID | untimed ID | check KEY | cancel KEY
 * </pre>
 *
 * No step depends on the clock: delays have expired at the start, or do not expire for hours. After
 * each one the reaper's step is executed, and the tasks of the timer's executor have run.
 */
public final class PurgatoryTrace {
    private final PrintStream out;
    private final SystemTimer timer;
    private final ExecutorService executor;
    private final DelayedOperationPurgatory<Operation> purgatory;
    private final Method reaperStep;
    private final Map<Integer, Operation> operations = new HashMap<>();
    private final List<String> events = new ArrayList<>();

    private PurgatoryTrace(PrintStream out, int purgeInterval) throws ReflectiveOperationException {
        this.out = out;
        this.timer = new SystemTimer("trace");
        this.purgatory = new DelayedOperationPurgatory<>("trace", timer, 0, purgeInterval, false, true);
        Field field = SystemTimer.class.getDeclaredField("taskExecutor");
        field.setAccessible(true);
        this.executor = (ExecutorService) field.get(timer);
        this.reaperStep = DelayedOperationPurgatory.class.getDeclaredMethod("advanceClock", long.class);
        reaperStep.setAccessible(true);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PurgatoryTrace trace = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("trace")) {
                if (trace != null) {
                    trace.purgatory.shutdown();
                }
                trace = new PurgatoryTrace(out, Integer.parseInt(words[1]));
                out.println(line);
            } else {
                trace.step(words);
            }
        }
        out.flush();
        System.exit(0);
    }

    private void step(String[] words) throws Exception {
        events.clear();
        String result = act(words);
        timer.advanceClock(0L);
        executor.submit(() -> { }).get();
        reaperStep.invoke(purgatory, 0L);
        out.println(String.join(" ", words) + " -> " + result + " [" + String.join(" ", events)
                + "] watched " + purgatory.watched() + " delayed " + purgatory.numDelayed());
    }

    private String act(String[] words) {
        if (words[0].equals("check")) {
            return String.valueOf(purgatory.checkAndComplete(new Key(words[1])));
        }
        if (words[0].equals("cancel")) {
            return String.join(",", purgatory.cancelForKey(new Key(words[1])).stream()
                    .map(operation -> String.valueOf(operation.id)).toList());
        }
        int id = Integer.parseInt(words[1]);
        if (words[0].equals("watch")) {
            operations.put(id, new Operation(id, Long.parseLong(words[2]),
                    Integer.parseInt(words[3]), words[4]));
            return watch(id, words, 5);
        }
        Operation operation = operations.get(id);
        switch (words[0]) {
            case "again" -> {
                return watch(id, words, 2);
            }
            case "force" -> {
                return String.valueOf(operation.forceComplete());
            }
            case "ready" -> operation.ready = true;
            case "run" -> operation.run();
            case "untimed" -> operation.cancel();
            default -> throw new IllegalArgumentException(words[0]);
        }
        return "";
    }

    private String watch(int id, String[] words, int firstKey) {
        List<Key> keys = new ArrayList<>();
        for (int i = firstKey; i < words.length; i++) {
            keys.add(new Key(words[i]));
        }
        return String.valueOf(purgatory.tryCompleteElseWatch(operations.get(id), keys));
    }

    private record Key(String name) implements DelayedOperationKey {
        @Override
        public String keyLabel() {
            return name;
        }
    }

    private final class Operation extends DelayedOperation {
        private final int id;
        private final int readyAt;
        private final String chain;
        private int checks;
        private volatile boolean ready;

        private Operation(int id, long delay, int readyAt, String chain) {
            super(delay);
            this.id = id;
            this.readyAt = readyAt;
            this.chain = chain;
        }

        @Override
        public boolean tryComplete() {
            events.add("try:" + id);
            checks++;
            return (ready || checks == readyAt) && forceComplete();
        }

        @Override
        public void onComplete() {
            events.add("complete:" + id);
            if (!chain.equals("-")) {
                events.add("chain:" + purgatory.checkAndComplete(new Key(chain)));
            }
        }

        @Override
        public void onExpiration() {
            events.add("expire:" + id);
        }
    }
}
