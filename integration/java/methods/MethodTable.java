package methods;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The methods of one client interface, and the shapes in which each is called. */
class MethodTable<C> {
    /** Calls a method on a client; returns the compared value. */
    interface Shape<C> {
        Object call(C client, Fixtures on) throws Exception;
    }

    final String name;
    final Class<C> of;
    final Function<Map<String, Object>, C> make;
    final Map<String, Shape<C>> shapes = new LinkedHashMap<>();

    /** `make` makes a client from its configuration. */
    MethodTable(Class<C> of, Function<Map<String, Object>, C> make) {
        this.name = "java " + of.getSimpleName();
        this.of = of;
        this.make = make;
    }

    /** Adds a shape of a method; the first of each method has the default arguments. */
    void call(String method, String shape, Shape<C> call) {
        shapes.put(method + "/" + shape, call);
    }
}
