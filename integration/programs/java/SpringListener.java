import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;

/** Sends ten messages with a template, and prints what a listener container receives. */
public class SpringListener {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> common = Map.of("bootstrap.servers", arguments[0]);
        StringSerializer text = new StringSerializer();
        DefaultKafkaProducerFactory<String, String> producers =
            new DefaultKafkaProducerFactory<>(common, text, text);
        KafkaTemplate<String, String> template = new KafkaTemplate<>(producers);
        for (int i = 0; i < 10; i++) {
            template.send("spring", "key", "message-" + i).get();
        }
        Map<String, Object> consuming = Map.of(
            "bootstrap.servers", arguments[0], "group.id", "spring",
            "auto.offset.reset", "earliest");
        List<String> heard = new CopyOnWriteArrayList<>();
        CountDownLatch left = new CountDownLatch(10);
        ContainerProperties properties = new ContainerProperties("spring");
        properties.setMessageListener((MessageListener<String, String>) record -> {
            heard.add(record.value());
            left.countDown();
        });
        KafkaMessageListenerContainer<String, String> container =
            new KafkaMessageListenerContainer<>(new DefaultKafkaConsumerFactory<>(
                consuming, new StringDeserializer(), new StringDeserializer()), properties);
        container.start();
        left.await();
        container.stop();
        producers.destroy();
        heard.forEach(System.out::println);
    }
}
