package methods;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** Turns what client methods return into values of JSON. */
class JsonValues {
    private static final int WITHIN_S = 30;

    /** Returns a value as JSON has it: futures resolved, objects by their own words. */
    static Object of(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) return value;
        if (value instanceof Throwable error) return raised(error);
        if (value instanceof Future<?> future) return future(future);
        if (value instanceof Optional<?> optional) return of(optional.orElse(null));
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> told = new TreeMap<>();
            map.forEach((key, part) -> told.put(String.valueOf(key), of(part)));
            return told;
        }
        if (value instanceof ConsumerRecords<?, ?> records) {
            List<Object> told = new ArrayList<>();
            records.forEach(each -> told.add(record(each)));
            return told;
        }
        if (value instanceof Object[] array) return of(List.of(array));
        if (value instanceof Collection<?> parts) {
            List<Object> told = new ArrayList<>();
            parts.forEach(part -> told.add(of(part)));
            if (value instanceof Set) told.sort((a, b) -> ("" + a).compareTo("" + b));
            return told;
        }
        return String.valueOf(value);
    }

    private static Object record(ConsumerRecord<?, ?> record) {
        return record.partition() + ": " + record.offset() + " " + record.value();
    }

    private static Object future(Future<?> future) {
        try {
            return of(future.get(WITHIN_S, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            return raised(failed.getCause());
        } catch (Exception failed) {
            return raised(failed);
        }
    }

    private static Object raised(Throwable error) {
        return Map.of(
            "raised", error.getClass().getSimpleName(),
            "message", String.valueOf(error.getMessage()));
    }
}
