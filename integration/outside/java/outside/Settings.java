package outside;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.security.auth.login.AppConfigurationEntry;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** The options of `antechamber serve` for the settings that a test gives its brokers. */
public final class Settings {
    private static final Set<String> KNOWN = lines("outside.keys");
    // Where ours has another default than Kafka, which the tests expect.
    private static final Set<String> DEFAULTS = lines("outside.defaults");
    // Of a broker that is a process of its own.
    private static final Set<String> OWN = Set.of(
        "node.id", "broker.id", "broker.rack", "process.roles", "log.dir", "log.dirs",
        "listeners", "advertised.listeners", "listener.security.protocol.map");
    private static final Map<String, String> LOGIN_MODULES = Map.of(
        "PLAIN", "Plain", "SCRAM-SHA-256", "Scram", "SCRAM-SHA-512", "Scram",
        "OAUTHBEARER", "OAuthBearer");

    private final Map<String, String> values = new TreeMap<>();
    private String racks = "";

    /** The test's own settings, of which ours may not know each. */
    public Settings(Map<String, ?> given) {
        for (String each : DEFAULTS) {
            values.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        given.forEach((key, value) -> {
            if (value != null && !OWN.contains(key) && KNOWN.contains(withoutPrefix(key))) {
                values.put(key, text(value));
            }
        });
    }

    private static Set<String> lines(String property) {
        return Set.of(System.getProperty(property).split("\n"));
    }

    private static String withoutPrefix(String key) {
        return key.replaceFirst("^listener\\.name\\.[^.]+\\.", "")
            .replaceFirst("^(plain|scram-sha-256|scram-sha-512|oauthbearer)\\.", "");
    }

    private static String text(Object value) {
        if (value instanceof Password password) {
            return password.value();
        }
        if (value instanceof List<?> list) {
            return String.join(",", list.stream().map(String::valueOf).toList());
        }
        return String.valueOf(value);
    }

    /** A setting of ours. */
    public Settings with(String key, String value) {
        values.put(key, value);
        return this;
    }

    /** A listener at any port, with the logins that `config` has for it. */
    public Settings withListener(String name, SecurityProtocol protocol, KafkaConfig config) {
        values.merge("listeners", name + "://localhost:0", (old, added) -> old + "," + added);
        values.merge("listener.security.protocol.map", name + ":" + protocol.name,
            (old, added) -> old + "," + added);
        if (protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL) {
            String prefix = "listener.name." + name.toLowerCase(Locale.ROOT) + ".";
            Map<String, Object> own = config.valuesWithPrefixOverride(prefix);
            for (Object mechanism : (List<?>) own.get("sasl.enabled.mechanisms")) {
                addLogin(prefix, name, (String) mechanism, own);
            }
        }
        return this;
    }

    private void addLogin(String prefix, String listener, String mechanism, Map<String, ?> own) {
        String key = prefix + mechanism.toLowerCase(Locale.ROOT) + ".sasl.jaas.config";
        String module = LOGIN_MODULES.get(mechanism);
        if (module == null || values.containsKey(key)) {
            return;
        }
        JaasContext login =
            JaasContext.loadServerContext(ListenerName.normalised(listener), mechanism, own);
        for (AppConfigurationEntry each : login.configurationEntries()) {
            if (each.getLoginModuleName().contains(module)) {
                StringBuilder text = new StringBuilder(each.getLoginModuleName());
                text.append(" required");
                each.getOptions().forEach((name, value) ->
                    text.append(' ').append(name).append("=\"").append(value).append('"'));
                values.putIfAbsent(key, text.append(';').toString());
            }
        }
    }

    /** The racks of all nodes, unless one of them has none. */
    public Settings withRacks(List<String> each) {
        if (!each.isEmpty() && !each.contains(null)) {
            racks = String.join(",", each);
        }
        return this;
    }

    /** The words of the command line. */
    public List<String> options() {
        List<String> options = new ArrayList<>();
        if (!racks.isEmpty()) {
            options.addAll(List.of("--racks", racks));
        }
        values.forEach((key, value) -> options.addAll(List.of("-c", key + "=" + value)));
        return options;
    }
}
