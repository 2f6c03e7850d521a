import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Prints all configuration keys that Kafka's classes define, internal ones included, a line each:
 * resource, name, type, default, range, update mode, whether it is internal, synonyms among the broker's keys.
 */
public final class ConfigTables {
    private static final String NOTHING = "<null>";

    public static void main(String[] arguments) {
        print("broker", AbstractKafkaConfig.CONFIG_DEF, Map.of());
        Map<String, List<String>> ofTopics = new HashMap<>();
        ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.forEach((name, synonyms) -> {
            List<String> names = new ArrayList<>();
            for (ConfigSynonym synonym : synonyms) {
                names.add(synonym.name());
            }
            ofTopics.put(name, names);
        });
        print("topic", LogConfig.configKeys(), ofTopics);
        Map<String, List<String>> ofGroups = new HashMap<>();
        GroupConfig.ALL_GROUP_CONFIG_SYNONYMS.forEach((name, synonym) ->
            ofGroups.put(name, synonym.map(List::of).orElse(List.of())));
        print("group", GroupConfig.CONFIG_DEF, ofGroups);
        print("client-metrics", ClientMetricsConfigs.configDef(), Map.of());
    }

    private static void print(String resource, ConfigDef definition, Map<String, List<String>> behind) {
        print(resource, definition.configKeys(), behind);
    }

    private static void print(
        String resource, Map<String, ConfigDef.ConfigKey> keys, Map<String, List<String>> behind
    ) {
        Map<String, String> modes = DynamicBrokerConfig.dynamicConfigUpdateModes();
        for (ConfigDef.ConfigKey key : new TreeMap<>(keys).values()) {
            System.out.println(String.join("\t",
                resource,
                key.name,
                key.type.name(),
                defaultOf(key),
                key.validator == null ? "" : key.validator.toString(),
                modes.getOrDefault(key.name, "read-only"),
                String.valueOf(key.internalConfig),
                String.join(",", behind.getOrDefault(key.name, List.of()))));
        }
    }

    private static String defaultOf(ConfigDef.ConfigKey key) {
        Object value = key.defaultValue;
        if (value == null || value == ConfigDef.NO_DEFAULT_VALUE) {
            return NOTHING;
        }
        return ConfigDef.convertToString(value, key.type);
    }
}
