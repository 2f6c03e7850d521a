import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Copies records of a topic in transactions; the processor is closed once before the end. */
public class ParallelCopies {
    private static final String GROUP = "parallel";
    private static final AtomicInteger copied = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        long records = Long.parseLong(arguments[1]);
        ParallelStreamProcessor<byte[], byte[]> first = started(bootstrap);
        while (copied.get() < records / 3) {
            Thread.sleep(10);
        }
        first.closeDontDrainFirst();
        ParallelStreamProcessor<byte[], byte[]> second = started(bootstrap);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            while (committed(admin) < records) {
                Thread.sleep(100);
            }
        }
        second.closeDrainFirst();
        System.exit(0); // threads of a closed processor can remain
    }

    private static ParallelStreamProcessor<byte[], byte[]> started(String bootstrap) {
        Map<String, Object> consuming = Map.of(
            "bootstrap.servers", bootstrap, "group.id", GROUP, "auto.offset.reset", "earliest",
            "enable.auto.commit", false);
        Map<String, Object> producing = Map.of(
            "bootstrap.servers", bootstrap, "transactional.id", GROUP);
        ByteArraySerializer writes = new ByteArraySerializer();
        ByteArrayDeserializer reads = new ByteArrayDeserializer();
        ParallelStreamProcessor<byte[], byte[]> processor =
            ParallelStreamProcessor.createEosStreamProcessor(
                ParallelConsumerOptions.<byte[], byte[]>builder()
                    .ordering(ProcessingOrder.KEY)
                    .commitMode(CommitMode.PERIODIC_TRANSACTIONAL_PRODUCER)
                    .commitInterval(Duration.ofMillis(100))
                    .defaultMessageRetryDelay(Duration.ofMillis(10))
                    .consumer(new KafkaConsumer<>(consuming, reads, reads))
                    .producer(new KafkaProducer<>(producing, writes, writes))
                    .build());
        processor.subscribe(List.of("in"));
        processor.pollAndProduce(context -> {
            if (context.offset() % 7 == 3
                    && context.getSingleRecord().getNumberOfFailedAttempts() == 0) {
                throw new IllegalStateException("the first attempt fails");
            }
            copied.incrementAndGet();
            return new ProducerRecord<>("out", context.key(), context.value());
        });
        return processor;
    }

    private static long committed(Admin admin) throws Exception {
        return admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get()
            .values().stream().mapToLong(offset -> offset.offset()).sum();
    }
}
