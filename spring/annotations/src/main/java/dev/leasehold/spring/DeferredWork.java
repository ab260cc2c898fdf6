package dev.leasehold.spring;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/**
 * Deferred work is what a method may return whose work is done after the method has returned, and so after a lock under which the
 * method ran was given back. The types of libraries that may be missing are known by their names.
 *
 * @param what the type and when its work is done
 * @param remedy what to return instead
 */
record DeferredWork(String what, String remedy) {

    private static final String NO_BLOCKING = "Return a CompletableFuture, or do the work in the method";
    private static final String NO_REACTOR =
            "Declare a reactive type as the return type, and add reactor-core if it is missing";

    private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";
    private static final boolean WEB = ClassUtils.isPresent(HTTP_ENTITY, DeferredWork.class.getClassLoader());

    /** By the names of classes and interfaces, or the packages of interfaces. */
    private static final Map<String, DeferredWork> NAMED = Map.of(
            "org.springframework.web.context.request.async.DeferredResult", later("DeferredResult"),
            "org.springframework.web.context.request.async.WebAsyncTask", later("WebAsyncTask"),
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter", later("ResponseBodyEmitter"),
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
                    later("StreamingResponseBody"),
            "org.reactivestreams.Publisher", reactive("Publisher"),
            "io.reactivex.rxjava3.core", reactive("type of RxJava"),
            "io.smallrye.mutiny.Uni", reactive("Uni"),
            "kotlinx.coroutines.flow.Flow", reactive("Flow"));

    private static final ClassValue<Optional<DeferredWork>> KNOWN = new ClassValue<>() {
        @Override
        protected Optional<DeferredWork> computeValue(Class<?> type) {
            return Optional.ofNullable(look(type));
        }
    };

    private static DeferredWork later(String type) {
        return new DeferredWork("a " + type + ", whose work is done after the method has returned", NO_BLOCKING);
    }

    private static DeferredWork reactive(String type) {
        return new DeferredWork(
                "a " + type + ", a reactive type, whose work begins when it is subscribed to", NO_REACTOR);
    }

    /** Returns what is deferred in values of a type; null for nothing. */
    static @Nullable DeferredWork in(Class<?> type) {
        return KNOWN.get(type).orElse(null);
    }

    /** Returns what is deferred in values of a type, or in what is inside of them; null for nothing. */
    static @Nullable DeferredWork in(ResolvableType type) {
        Class<?> outer = type.toClass();
        boolean wraps = outer == Optional.class || isNamed(outer, HTTP_ENTITY);
        return wraps ? in(type.hasGenerics() ? innermost(type) : outer) : in(outer);
    }

    private static Class<?> innermost(ResolvableType wrapper) {
        return wrapper.as(wrapper.toClass()).getGeneric(0).toClass();
    }

    /** Returns what is deferred in a value, or in what is inside of it; null for nothing. */
    static @Nullable DeferredWork inValue(@Nullable Object value) {
        Object inner = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (WEB && inner != null) {
            inner = Entity.body(inner);
        }
        return inner == null ? null : in(inner.getClass());
    }

    /** An entity knows Spring's response entities, in a class of its own, since Spring's web classes may be missing. */
    private static final class Entity {

        static @Nullable Object body(Object value) {
            return value instanceof HttpEntity<?> entity ? entity.getBody() : value;
        }
    }

    private static @Nullable DeferredWork look(Class<?> type) {
        if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
            return new DeferredWork(
                    "a " + type.getSimpleName() + ", whose work may go on after the method has returned",
                    "Declare a CompletableFuture as the return type");
        }
        if (Callable.class.isAssignableFrom(type)) {
            return later("Callable");
        }
        if (BaseStream.class.isAssignableFrom(type)) {
            return new DeferredWork(
                    "a " + type.getSimpleName() + ", which is read after the method has returned",
                    "Return a List, or read the stream in the method");
        }
        if (Flow.Publisher.class.isAssignableFrom(type)) {
            return reactive("Flow.Publisher");
        }
        for (Map.Entry<String, DeferredWork> named : NAMED.entrySet()) {
            if (isNamed(type, named.getKey())) {
                return named.getValue();
            }
        }
        return null;
    }

    private static boolean isNamed(@Nullable Class<?> type, String name) {
        if (type == null) {
            return false;
        }
        if (type.getName().equals(name) || type.getPackageName().equals(name)) {
            return true;
        }
        for (Class<?> one : type.getInterfaces()) {
            if (isNamed(one, name)) {
                return true;
            }
        }
        return isNamed(type.getSuperclass(), name);
    }
}
