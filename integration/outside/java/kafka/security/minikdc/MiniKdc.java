package kafka.security.minikdc;

import java.io.File;
import java.util.List;
import java.util.Properties;
import outside.InsideOfTheBroker;

/** Takes the place of Kafka's class, which needs a directory server: there is no Kerberos here. */
public class MiniKdc {
    public MiniKdc(Properties config, File folder) {
    }

    public static Properties createConfig() {
        return new Properties();
    }

    public void start() {
        throw new InsideOfTheBroker("Kerberos");
    }

    public void stop() {
    }

    public void createPrincipal(File keytab, List<String> principals) {
    }
}
