package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * An invalid locked method exception says that a method is annotated in a way that cannot work. This is found at
 * start-up, when its bean is made; only what a method returns that is declared to return something more general is
 * found at the call, after the method has run.
 */
public final class InvalidLockedMethodException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    InvalidLockedMethodException(Method method, String problem, String remedy, @Nullable Throwable cause) {
        super(place(method) + ": " + problem + ". " + remedy, cause);
        this.problem = place(method) + ": " + problem + ".";
        this.remedy = remedy;
    }

    private static String place(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    /** {@return the method and what is wrong with it} */
    public String problem() {
        return problem;
    }

    /** {@return what to do} */
    public String remedy() {
        return remedy;
    }
}
