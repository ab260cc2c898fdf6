package dev.leasehold.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Annotated methods are the methods of classes that have an annotation, parsed once per class. A class is looked at as
 * a whole, when its bean is made, so that a mistake in any of its annotations fails the start and not a call.
 * Thread-safe.
 */
final class AnnotatedMethods<A extends Annotation, M> {

    /** A parser makes of an annotation what its method does on objects of a class. */
    @FunctionalInterface
    interface Parser<A extends Annotation, M> {
        M parse(Method method, Class<?> target, A annotation);
    }

    private final Class<A> annotation;
    private final Parser<A, M> parser;
    private final Map<Class<?>, Map<Method, M>> found = new ConcurrentHashMap<>();

    AnnotatedMethods(Class<A> annotation, Parser<A, M> parser) {
        this.annotation = annotation;
        this.parser = parser;
    }

    /** Returns the methods of a class; fails if one cannot be intercepted or its annotation cannot work. */
    Map<Method, M> in(Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        Map<Method, M> known = found.get(user);
        if (known != null) {
            return known;
        }
        Map<Method, M> methods = AnnotationUtils.isCandidateClass(user, annotation) ? parsed(user) : Map.of();
        found.put(user, methods);
        return methods;
    }

    private Map<Method, M> parsed(Class<?> user) {
        Map<Method, M> parsed = MethodIntrospector.selectMethods(user, (Method method) -> {
            // A bridge has its method's annotations, and an erased type that says nothing.
            Method real = BridgeMethodResolver.findBridgedMethod(method);
            A found = AnnotatedElementUtils.findMergedAnnotation(real, annotation);
            if (found == null) {
                return null;
            }
            checkCanBeIntercepted(real, user);
            return parser.parse(real, user, found);
        });
        Map<Method, M> all = new HashMap<>(parsed);
        parsed.forEach((method, what) -> all.putIfAbsent(BridgeMethodResolver.findBridgedMethod(method), what));
        return all;
    }

    private void checkCanBeIntercepted(Method method, Class<?> user) {
        String why = obstacle(method, user);
        if (why != null) {
            throw new InvalidLockedMethodException(
                    method,
                    "it has @" + annotation.getSimpleName() + " and is " + why
                            + ", so no proxy can intercept it and it would run without the lock",
                    "Make it a public method that can be overridden (in Kotlin: open)",
                    null);
        }
    }

    /** Returns why a proxy, which is a class in the package and class loader of the bean's, cannot override a method. */
    private static @Nullable String obstacle(Method method, Class<?> user) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isFinal(modifiers)) {
            return "final";
        }
        boolean visible = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
        return visible || isOfOnePackage(method.getDeclaringClass(), user)
                ? null
                : "package-private in another package or class loader than " + user.getName();
    }

    private static boolean isOfOnePackage(Class<?> one, Class<?> other) {
        return one.getPackageName().equals(other.getPackageName()) && one.getClassLoader() == other.getClassLoader();
    }

    /** Returns the parsed annotation of a method as it is called on objects of a class; null if it has none. */
    @Nullable M of(Method method, Class<?> target) {
        Class<?> user = ClassUtils.getUserClass(target);
        M specific = in(user).get(AopUtils.getMostSpecificMethod(method, user));
        // A JDK proxy's own methods have no annotations; those of its interface have.
        return specific != null ? specific : in(user).get(method);
    }
}
