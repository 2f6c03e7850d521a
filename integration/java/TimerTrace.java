package org.apache.kafka.server.util.timer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads traces of a timer from standard input and prints the behaviour of Apache Kafka's wheel.
 *
 * <pre>
 *   trace TICK SIZE START      begin a new one
 *   add ID DELAY               a task, now; adding an id again adds the same task again
 *   cancel ID
 *   advance TIME               the time is TIME now
 * </pre>
 *
 * Time is simulated, so the steps of SystemTimer.advanceClock are executed here, with the clock of
 * the trace instead of the machine's; everything else is TimingWheel, TimerTaskList, TimerTaskEntry
 * and TimerTask. The class is in this package because their constructors are package-private.
 */
public final class TimerTrace {
    private final PrintStream out;
    private final DelayQueue<TimerTaskList> queue = new DelayQueue<>();
    private final AtomicInteger counter = new AtomicInteger();
    private final TimingWheel wheel;
    private final Map<Integer, TimerTask> tasks = new HashMap<>();
    private final List<String> fired = new ArrayList<>();
    private long now;

    private TimerTrace(PrintStream out, long tick, int size, long start) {
        this.out = out;
        this.now = start;
        this.wheel = new TimingWheel(tick, size, start, counter, queue);
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        TimerTrace trace = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("trace")) {
                trace = new TimerTrace(out, Long.parseLong(words[1]),
                        Integer.parseInt(words[2]), Long.parseLong(words[3]));
                out.println(line);
            } else {
                trace.step(words);
            }
        }
        out.flush();
    }

    private void step(String[] words) {
        fired.clear();
        switch (words[0]) {
            case "add" -> add(Integer.parseInt(words[1]), Long.parseLong(words[2]));
            case "cancel" -> tasks.get(Integer.parseInt(words[1])).cancel();
            case "advance" -> advance(Long.parseLong(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        }
        fired.sort(null);
        StringBuilder clocks = new StringBuilder();
        for (TimingWheel level = wheel; level != null; level = level.overflowWheel()) {
            clocks.append(' ').append(level.currentTimeMs());
        }
        out.println(String.join(" ", words) + " -> " + String.join(" ", fired)
                + " | size " + counter.get() + " queue " + queue.size() + " clocks" + clocks);
    }

    private void add(int id, long delay) {
        TimerTask task = tasks.computeIfAbsent(id, ignored -> new Numbered(id, delay));
        place(new TimerTaskEntry(task, task.delayMs + now));
    }

    private void place(TimerTaskEntry entry) {
        if (!wheel.add(entry) && !entry.cancelled()) {
            entry.timerTask.run();
        }
    }

    private void advance(long time) {
        now = time;
        TimerTaskList bucket = queue.peek();
        while (bucket != null && bucket.getExpiration() <= time) {
            queue.remove(bucket);
            wheel.advanceClock(bucket.getExpiration());
            bucket.flush(this::place);
            bucket = queue.peek();
        }
    }

    private final class Numbered extends TimerTask {
        private final int id;

        private Numbered(int id, long delay) {
            super(delay);
            this.id = id;
        }

        @Override
        public void run() {
            fired.add(String.format("%010d:%d", wheel.currentTimeMs(), id));
        }
    }
}
