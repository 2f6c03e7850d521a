package outside;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;

/** Keeps the object of the test that runs. */
public final class RunningTest implements TestInstancePostProcessor {
    private static volatile Object instance;

    /** That object. */
    public static Object instance() {
        return instance;
    }

    @Override
    public void postProcessTestInstance(Object test, ExtensionContext context) {
        instance = test;
    }
}
