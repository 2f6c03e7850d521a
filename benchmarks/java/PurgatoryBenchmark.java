import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Measures Apache Kafka's timer and purgatory with the figures of benchmarks/purgatory_ours.py and
 * benchmarks/purgatory_model.py: the same names, counts and draws. Each part runs once for the
 * compiler, and once measured. Prints a line for each figure; the argument is the scale.
 *
 * With the argument "timers" and numbers of tasks it measures only the timer, as
 * benchmarks/purgatory_timers.py does, and prints a line for each number: the number, ns of an
 * addition, ns of a cancellation, and bytes of a pending task without the task itself.
 */
public final class PurgatoryBenchmark {
    private static final int ROUND = 10_000;
    private static final int[][] WATCHED = {{1, 1}, {10, 1}, {10, 3}, {1000, 1}, {1000, 3}};

    private static boolean measuring;

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("timers")) {
            for (String count : Arrays.asList(arguments).subList(1, arguments.length)) {
                timerCost(Integer.parseInt(count));
            }
            System.exit(0);
        }
        double scale = Double.parseDouble(arguments[0]);
        for (int round = 0; round < 2; round++) {
            measuring = round == 1;
            timer((int) (1_000_000 * scale));
            for (int[] each : WATCHED) {
                watchAndComplete(each[0], each[1], Math.max(1, (int) (40 * scale)));
            }
            checks((int) (10_000_000 * scale));
        }
        memory((int) (100_000 * scale));
        expiry("expiry_100k", (int) (100_000 * scale));
        expiry("expiry_1k", 1000);
        model("model_5000s", (int) (20_000 * scale), 5000);
        model("model_max", (int) (300_000 * scale), Double.POSITIVE_INFINITY);
        System.exit(0);
    }

    private static void report(String name, double value) {
        if (measuring) {
            System.out.println(name + " " + value);
        }
    }

    private static DelayedOperationPurgatory<Operation> newPurgatory(boolean reaper) {
        return new DelayedOperationPurgatory<>("benchmark", new SystemTimer("benchmark"), 0, 1000, reaper, true);
    }

    private static void timer(int count) {
        SystemTimer timer = new SystemTimer("benchmark");
        Random random = new Random(1);
        TimerTask[] tasks = new TimerTask[count];
        for (int i = 0; i < count; i++) {
            tasks[i] = new Operation(1 + random.nextInt(10_000));
        }
        long start = System.nanoTime();
        for (TimerTask task : tasks) {
            timer.add(task);
        }
        long added = System.nanoTime();
        for (TimerTask task : tasks) {
            task.cancel();
        }
        long cancelled = System.nanoTime();
        report("timer_add_ops_s", count * 1e9 / (added - start));
        report("timer_cancel_ops_s", count * 1e9 / (cancelled - added));
        timer.close();
    }

    private static void timerCost(int count) {
        long addNs = Long.MAX_VALUE;
        long cancelNs = Long.MAX_VALUE;
        long bytes = 0;
        int rounds = Math.max(5, 2_000_000 / count);
        for (int round = 0; round < rounds; round++) {
            SystemTimer timer = new SystemTimer("benchmark");
            Random random = new Random(1);
            TimerTask[] tasks = new TimerTask[count];
            Arrays.setAll(tasks, i -> new Operation(1 + random.nextInt(10_000)));
            boolean last = round == rounds - 1;
            long before = last ? used() : 0;
            long start = System.nanoTime();
            for (TimerTask task : tasks) {
                timer.add(task);
            }
            addNs = Math.min(addNs, System.nanoTime() - start);
            bytes = last ? used() - before : 0;
            start = System.nanoTime();
            for (int i = 0; i < count; i += 2) {
                tasks[i].cancel();
            }
            cancelNs = Math.min(cancelNs, System.nanoTime() - start);
            timer.close();
        }
        System.out.println(count + " " + (double) addNs / count + " " + cancelNs / (count / 2.0)
            + " " + (double) bytes / count);
    }

    private static void watchAndComplete(int keyCount, int watched, int rounds) throws Exception {
        DelayedOperationPurgatory<Operation> purgatory = newPurgatory(true);
        Key[] keys = new Key[keyCount];
        Arrays.setAll(keys, Key::new);
        List<List<Key>> choices = new ArrayList<>();
        for (int i = 0; i < ROUND; i++) {
            List<Key> chosen = new ArrayList<>();
            for (int other = 0; other < watched; other++) {
                chosen.add(keys[(i * 7 + other) % keyCount]);
            }
            choices.add(chosen);
        }
        long watchNs = 0;
        long completeNs = 0;
        for (int round = 0; round < rounds; round++) {
            Operation[] operations = new Operation[ROUND];
            Arrays.setAll(operations, i -> new Operation(60_000));
            long start = System.nanoTime();
            for (int i = 0; i < ROUND; i++) {
                purgatory.tryCompleteElseWatch(operations[i], choices.get(i));
            }
            long watchedAll = System.nanoTime();
            for (Operation operation : operations) {
                operation.ready = true;
            }
            long ready = System.nanoTime();
            for (Key key : keys) {
                purgatory.checkAndComplete(key);
            }
            watchNs += watchedAll - start;
            completeNs += System.nanoTime() - ready;
        }
        double count = (double) rounds * ROUND * 1e9;
        String name = "purg_" + keyCount + "keys_" + watched + "watched";
        report(name + "_watch_ops_s", count / watchNs);
        report(name + "_complete_ops_s", count / completeNs);
        report(name + "_cycle_ops_s", count / (watchNs + completeNs));
        purgatory.shutdown();
    }

    private static void checks(int count) throws Exception {
        for (int pending : new int[] {1, 1000}) {
            DelayedOperationPurgatory<Operation> purgatory = newPurgatory(false);
            Key key = new Key(1);
            for (int i = 0; i < pending; i++) {
                purgatory.tryCompleteElseWatch(new Operation(60_000), List.of(key));
            }
            int times = count / pending;
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                purgatory.checkAndComplete(key);
            }
            double elapsed = System.nanoTime() - start;
            report("check_" + pending + "pending_ns_per_op", elapsed / ((double) times * pending));
            purgatory.shutdown();
        }
        DelayedOperationPurgatory<Operation> purgatory = newPurgatory(false);
        Key key = new Key(1);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            purgatory.checkAndComplete(key);
        }
        report("check_unwatched_ns", (double) (System.nanoTime() - start) / count);
        purgatory.shutdown();
    }

    private static void memory(int count) throws Exception {
        for (int watched : new int[] {1, 3}) {
            DelayedOperationPurgatory<Operation> purgatory = newPurgatory(false);
            Key[] keys = new Key[1000];
            Arrays.setAll(keys, Key::new);
            long before = used();
            for (int i = 0; i < count; i++) {
                List<Key> chosen = new ArrayList<>();
                for (int other = 0; other < watched; other++) {
                    chosen.add(keys[(i + other) % 1000]);
                }
                purgatory.tryCompleteElseWatch(new Operation(60_000), chosen);
            }
            report("mem_bytes_per_op_" + watched + "watched", (double) (used() - before) / count);
            purgatory.shutdown();
        }
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void expiry(String name, int count) throws Exception {
        DelayedOperationPurgatory<Operation> purgatory = newPurgatory(true);
        double[] lateness = new double[count];
        AtomicInteger expired = new AtomicInteger();
        Random random = new Random(1);
        double cpu = cpuSeconds();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long created = System.nanoTime();
            purgatory.tryCompleteElseWatch(new Operation(1 + random.nextInt(2000)) {
                @Override
                public void onExpiration() {
                    lateness[expired.getAndIncrement()] = (System.nanoTime() - created) / 1e6 - delayMs;
                }
            }, List.of(new Key(i % 1000)));
        }
        double addMs = (System.nanoTime() - start) / 1e6;
        while (expired.get() < count) {
            Thread.sleep(50);
        }
        Arrays.sort(lateness);
        report(name + "_lateness_min_ms", lateness[0]);
        report(name + "_lateness_p50_ms", lateness[count / 2]);
        report(name + "_lateness_p99_ms", lateness[count * 99 / 100]);
        report(name + "_lateness_max_ms", lateness[count - 1]);
        report(name + "_add_ms", addMs);
        report(name + "_cpu_s", cpuSeconds() - cpu);
        purgatory.shutdown();
    }

    private static double cpuSeconds() {
        var system = (com.sun.management.OperatingSystemMXBean)
                java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e9;
    }

    private static void model(String name, int count, double rate) throws Exception {
        Random random = new Random(1);
        double mu = Math.log(0.5);
        double sigma = (Math.log(0.75) - mu) / 0.674490;
        double[] gapsMs = new double[count];
        double[] latenciesMs = new double[count];
        for (int i = 0; i < count; i++) {
            gapsMs[i] = -Math.log(1 - random.nextDouble()) / rate * 1000;
            latenciesMs[i] = Math.exp(mu + sigma * random.nextGaussian());
        }
        List<Key> keys = List.of(new Key(1), new Key(2), new Key(3));
        DelayedOperationPurgatory<Operation> purgatory = newPurgatory(true);
        DelayQueue<Completion> completions = new DelayQueue<>();
        Thread completer = new Thread(() -> {
            try {
                while (true) {
                    completions.take().operation.forceComplete();
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        completer.setDaemon(true);
        double cpu = cpuSeconds();
        long start = System.nanoTime();
        completer.start();
        Operation[] operations = new Operation[count];
        double arrivalNs = start;
        for (int i = 0; i < count; i++) {
            arrivalNs += gapsMs[i] * 1e6;
            long ahead = (long) (arrivalNs - System.nanoTime());
            if (ahead > 0) {
                TimeUnit.NANOSECONDS.sleep(ahead);
            }
            operations[i] = new Operation(1000);
            purgatory.tryCompleteElseWatch(operations[i], keys);
            if (latenciesMs[i] < 1000) {
                completions.add(new Completion(operations[i], System.nanoTime() + (long) (latenciesMs[i] * 1e6)));
            }
        }
        double enqueuedS = (System.nanoTime() - start) / 1e9;
        for (Operation operation : operations) {
            while (!operation.isCompleted()) {
                Thread.sleep(1);
            }
        }
        report(name + "_rate_ops_s", count / enqueuedS);
        report(name + "_elapsed_ms", (System.nanoTime() - start) / 1e6);
        report(name + "_cpu_ms", (cpuSeconds() - cpu) * 1000);
        completer.interrupt();
        purgatory.shutdown();
    }

    private record Key(int number) implements DelayedOperationKey {
        @Override
        public String keyLabel() {
            return String.valueOf(number);
        }
    }

    private static class Operation extends DelayedOperation {
        private boolean ready;

        private Operation(long delayMs) {
            super(delayMs);
        }

        @Override
        public boolean tryComplete() {
            return ready && forceComplete();
        }

        @Override
        public void onComplete() {
        }

        @Override
        public void onExpiration() {
        }
    }

    private record Completion(Operation operation, long momentNs) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(momentNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(momentNs, ((Completion) other).momentNs);
        }
    }
}
