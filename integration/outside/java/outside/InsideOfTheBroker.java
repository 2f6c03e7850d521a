package outside;

import java.lang.reflect.Method;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;

/** A test needs an object of Kafka's broker that ours, a process of its own, does not have. */
public final class InsideOfTheBroker extends UnsupportedOperationException {
    /** A test needs this part of it. */
    public InsideOfTheBroker(String what) {
        super("inside of the broker: " + what);
    }

    /** Throws it for a call of this method. */
    public static Object inside(Method method) {
        throw new InsideOfTheBroker(
            method.getDeclaringClass().getSimpleName() + "." + method.getName());
    }

    /** The result of a call; `inside` if the object cannot have one. */
    public interface Calls {
        Object result(Method method, Object[] arguments) throws Throwable;
    }

    /** An object of a class or interface of Kafka whose calls have these results. */
    public static <T> T object(Class<T> type, Calls calls) {
        Answer<Object> answer = call -> switch (call.getMethod().getName()) {
            case "toString" -> type.getSimpleName();
            case "hashCode" -> System.identityHashCode(calls);
            default -> calls.result(call.getMethod(), call.getArguments());
        };
        return Mockito.mock(type, Mockito.withSettings().stubOnly().defaultAnswer(answer));
    }
}
