import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** Counts words with a repartition topic, and prints the counts when they are complete. */
public class WordCount {
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "word-count");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[1]);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        try (Admin admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic("words", 2, (short) 1))).all().get();
        }
        Map<String, Object> producing =
            Map.of(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        StringSerializer text = new StringSerializer();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(producing, text, text)) {
            for (String word : "a b a c b a".split(" ")) {
                producer.send(new ProducerRecord<>("words", word)).get();
            }
        }
        ConcurrentSkipListMap<String, Long> counts = new ConcurrentSkipListMap<>();
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("words")
            .groupBy((key, word) -> word)
            .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
            .toStream()
            .foreach(counts::put);
        try (KafkaStreams streams = new KafkaStreams(builder.build(), settings)) {
            streams.start();
            Map<String, Long> wanted = new TreeMap<>(Map.of("a", 3L, "b", 2L, "c", 1L));
            while (!counts.equals(wanted)) {
                Thread.sleep(20);
            }
        }
        counts.forEach((word, count) -> System.out.println(word + "=" + count));
    }
}
