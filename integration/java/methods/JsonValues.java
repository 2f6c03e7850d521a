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

/** Converts the results of client methods to JSON values. */
class JsonValues {
    private static final int WITHIN_S = 30;

    /** Returns a value as JSON: futures resolved, objects as text. */
    static Object of(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) return value;
        if (value instanceof Throwable error) return raised(error);
        if (value instanceof Future<?> future) return future(future);
        if (value instanceof Optional<?> optional) return of(optional.orElse(null));
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> json = new TreeMap<>();
            map.forEach((key, part) -> json.put(String.valueOf(key), of(part)));
            return json;
        }
        if (value instanceof ConsumerRecords<?, ?> records) {
            List<Object> json = new ArrayList<>();
            records.forEach(each -> json.add(record(each)));
            return json;
        }
        if (value instanceof Object[] array) return of(List.of(array));
        if (value instanceof Collection<?> parts) {
            List<Object> json = new ArrayList<>();
            parts.forEach(part -> json.add(of(part)));
            if (value instanceof Set) json.sort((a, b) -> ("" + a).compareTo("" + b));
            return json;
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
