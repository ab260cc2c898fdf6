package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A kind of return value says when a method has done its work.
 */
enum ReturnKind {

    /** When it returns. */
    BLOCKING,
    /** When the stage that it returns completes. */
    STAGE,
    /** When what it returns, a reactive stream or a Kotlin coroutine, has completed. */
    REACTIVE;

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", ReturnKind.class.getClassLoader());

    static ReturnKind of(Method method) {
        Class<?> type = method.getReturnType();
        if (KotlinDetector.isSuspendingFunction(method)) {
            if (!REACTOR) {
                throw new InvalidLockedMethodException(
                        method,
                        "it is a suspending function, and Spring intercepts these with Reactor only",
                        "Add kotlinx-coroutines-reactor",
                        null);
            }
            return REACTIVE;
        }
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return STAGE;
        }
        if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
            throw new InvalidLockedMethodException(
                    method,
                    "it returns a " + type.getSimpleName() + ", whose end cannot be waited for without blocking",
                    "Return a CompletableFuture",
                    null);
        }
        if (REACTOR && adapter(method) != null) {
            return REACTIVE;
        }
        if (type.getName().equals("org.reactivestreams.Publisher")
                || type.getName().startsWith("java.util.concurrent.Flow")) {
            throw new InvalidLockedMethodException(
                    method, "it returns a reactive type, and Reactor is not there", "Add reactor-core", null);
        }
        return BLOCKING;
    }

    /** Returns the adapter for a reactive return type; null for others. */
    static @Nullable ReactiveAdapter adapter(Method method) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
    }

    /** Returns whether a call of the method can come to nothing. */
    static boolean hasNothing(Method method, ReturnKind kind) {
        Class<?> type = method.getReturnType();
        return switch (kind) {
            case BLOCKING -> isNothing(type) || Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
            case STAGE ->
                isNothing(ResolvableType.forMethodReturnType(method)
                        .as(CompletionStage.class)
                        .getGeneric(0)
                        .toClass());
            case REACTIVE -> {
                ReactiveAdapter adapter = KotlinDetector.isSuspendingFunction(method) ? null : adapter(method);
                yield adapter == null || adapter.supportsEmpty();
            }
        };
    }

    private static boolean isNothing(Class<?> type) {
        return type == void.class || type == Void.class || type == Optional.class;
    }

    /** Returns what a call comes to that comes to nothing. */
    static @Nullable Object nothing(Class<?> type) {
        return type == Optional.class ? Optional.empty() : null;
    }
}
