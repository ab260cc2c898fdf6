package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
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

    /** The work is done when the method returns. */
    BLOCKING,
    /** The work is done when the returned stage completes. */
    STAGE,
    /** The work is done when the returned reactive stream, or the Kotlin coroutine, has completed. */
    REACTIVE;

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** A Kotlin type that may hold nothing without being marked as such: a flow may be empty. */
    private static final Set<String> SUSPENDED_NOTHING = Set.of("kotlin.Unit", FLOW);

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", ReturnKind.class.getClassLoader());

    /** Returns the kind of a method as it is called on objects of a class, which may say what a generic type stands for. */
    static ReturnKind of(Method method, ResolvableType returns) {
        Class<?> type = returns.toClass();
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
        boolean future = Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type);
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return STAGE;
        }
        if (REACTOR && !future && adapter(type) != null) {
            return REACTIVE;
        }
        DeferredWork deferred = DeferredWork.in(returns);
        if (deferred != null) {
            throw new InvalidLockedMethodException(method, "it returns " + deferred.what(), deferred.remedy(), null);
        }
        if (method.getGenericReturnType() == Object.class) {
            throw new InvalidLockedMethodException(
                    method,
                    "it is declared to return Object, which does not say when its work is done",
                    "Declare the type that it returns; a CompletableFuture holds the lock until it has completed",
                    null);
        }
        return BLOCKING;
    }

    /** Returns what a method returns, called on objects of a class. */
    static ResolvableType returnType(Method method, Class<?> target) {
        return ResolvableType.forMethodReturnType(method, target);
    }

    /** Refuses what a blocking call has returned if it is work that is not done yet. */
    static void refuseDeferred(Method method, @Nullable Object value) {
        DeferredWork deferred = DeferredWork.inValue(value);
        if (deferred != null) {
            throw new InvalidLockedMethodException(
                    method,
                    "it has returned " + deferred.what()
                            + ", which its return type does not say; so it was not waited for, and what it does later is"
                            + " done without the lock",
                    deferred.remedy(),
                    null);
        }
    }

    /** Returns the adapter for a reactive return type; null for others. */
    static @Nullable ReactiveAdapter adapter(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /** Returns whether a call of the method can come to nothing. */
    static boolean hasNothing(Method method, ResolvableType returns, ReturnKind kind) {
        Class<?> type = returns.toClass();
        return switch (kind) {
            case BLOCKING -> isNothing(type) || isNullable(method);
            case STAGE ->
                isNothing(returns.as(CompletionStage.class).getGeneric(0).toClass());
            case REACTIVE -> {
                if (KotlinDetector.isSuspendingFunction(method)) {
                    yield isNullable(method) || SUSPENDED_NOTHING.contains(suspendedType(method));
                }
                ReactiveAdapter adapter = adapter(type);
                yield adapter == null || adapter.supportsEmpty();
            }
        };
    }

    /** Returns what to do, as part of a sentence, so that a call that blocks can come to null. */
    static String nullable(ResolvableType returns) {
        Class<?> type = returns.toClass();
        return (type.isPrimitive()
                        ? "return "
                                + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName() + " marked"
                        : "mark the type")
                + " @Nullable (org.jspecify.annotations)";
    }

    private static boolean isNullable(Method method) {
        return Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
    }

    /** Returns whether a suspending function gives a flow, whose work is done when the flow has ended. */
    static boolean isSuspendedFlow(Method method) {
        return suspendedType(method).equals(FLOW);
    }

    /** Returns the name of what a suspending function gives: its last parameter is what is called with that. */
    private static String suspendedType(Method method) {
        return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
                .getGeneric(0)
                .toClass()
                .getName();
    }

    private static boolean isNothing(Class<?> type) {
        return type == void.class || type == Void.class || type == Optional.class;
    }

    /** Returns what a call comes to that comes to nothing. */
    static @Nullable Object nothing(Class<?> type) {
        return type == Optional.class ? Optional.empty() : null;
    }
}
