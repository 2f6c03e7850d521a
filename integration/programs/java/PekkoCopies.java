import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.ProducerMessage;
import org.apache.pekko.kafka.ProducerSettings;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Transactional;

/** Copies records of a topic in transactions; the stream is stopped once before the end. */
public class PekkoCopies {
    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        long records = Long.parseLong(arguments[1]);
        ActorSystem system = ActorSystem.create();
        AtomicLong left = new AtomicLong(records);
        while (left.get() > 0) {
            CountDownLatch part = new CountDownLatch((int) Math.min(left.get(), records / 2));
            Consumer.DrainingControl<?> control = Transactional
                .source(consuming(system, bootstrap), Subscriptions.topics("in"))
                .map(message -> {
                    left.decrementAndGet();
                    part.countDown();
                    return ProducerMessage.single(
                        new ProducerRecord<>(
                            "out", message.record().key(), message.record().value()),
                        message.partitionOffset());
                })
                .toMat(
                    Transactional.sink(producing(system, bootstrap), "pekko"),
                    Consumer::createDrainingControl)
                .run(system);
            part.await();
            control.drainAndShutdown(system.dispatcher()).toCompletableFuture().join();
        }
        system.terminate();
    }

    private static ConsumerSettings<byte[], byte[]> consuming(
            ActorSystem system, String bootstrap) {
        return ConsumerSettings
            .create(system, new ByteArrayDeserializer(), new ByteArrayDeserializer())
            .withBootstrapServers(bootstrap)
            .withGroupId("pekko")
            .withProperty("auto.offset.reset", "earliest")
            .withProperty("max.poll.records", "20");
    }

    private static ProducerSettings<byte[], byte[]> producing(
            ActorSystem system, String bootstrap) {
        return ProducerSettings
            .create(system, new ByteArraySerializer(), new ByteArraySerializer())
            .withBootstrapServers(bootstrap)
            .withEosCommitInterval(Duration.ofMillis(50));
    }
}
