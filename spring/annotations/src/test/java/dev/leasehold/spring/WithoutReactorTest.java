package dev.leasehold.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

/** An application without Reactor: what would need it is refused, the rest works. Its classes have a loader of their own. */
class WithoutReactorTest {

    static class Rx {
        @Locked("a")
        Single<String> method() {
            return Single.just("");
        }
    }

    static class RxStream {
        @Locked("a")
        Observable<String> method() {
            return Observable.just("");
        }
    }

    static class Published {
        @Locked("a")
        Flowable<String> method() {
            return Flowable.just("");
        }
    }

    public static class Anything {
        @Locked("a")
        public <T> T give(T result) {
            return result;
        }

        @Locked("stage")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("stage");
        }
    }

    /** Starts an application with a bean of the class of this name; returns why that failed. */
    public static final class Start implements Function<String, String> {
        @Override
        public String apply(String bean) {
            try (AnnotationConfigApplicationContext context =
                    new AnnotationConfigApplicationContext(LocksInMemory.class, Class.forName(bean))) {
                return "started";
            } catch (Exception e) {
                Throwable cause = e;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                return cause.toString();
            }
        }
    }

    /** Calls a method that returns an Rx type behind a type variable, and one that returns a stage. */
    public static final class Call implements Callable<String> {
        @Override
        public String call() {
            try (AnnotationConfigApplicationContext context =
                    new AnnotationConfigApplicationContext(LocksInMemory.class, Anything.class)) {
                Anything anything = context.getBean(Anything.class);
                try {
                    return "not refused: " + anything.give(Single.just(""));
                } catch (InvalidLockedMethodException e) {
                    return anything.stage().join() + ", " + e.getMessage();
                }
            }
        }
    }

    private static URL url(String entry) {
        try {
            return new File(entry).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static URLClassLoader loader() {
        URL[] entries = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("reactor-core"))
                .map(WithoutReactorTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(entries, ClassLoader.getPlatformClassLoader());
    }

    private static <T> T made(URLClassLoader loader, Class<? extends T> type, Class<T> as) throws Exception {
        Class<?> there = loader.loadClass(type.getName());
        assertThat(there).isNotSameAs(type);
        assertThat(ClassUtils.isPresent("reactor.core.publisher.Mono", loader)).isFalse();
        return as.cast(there.getConstructor().newInstance());
    }

    private static <T> T in(URLClassLoader loader, Callable<T> call) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void typesOfRxJavaFailTheStart() throws Exception {
        try (URLClassLoader loader = loader()) {
            Function<String, String> start = made(loader, Start.class, Function.class);
            for (Class<?> bean : new Class<?>[] {Rx.class, RxStream.class, Published.class}) {
                assertThat(in(loader, () -> start.apply(bean.getName())))
                        .as(bean.getSimpleName())
                        .contains("InvalidLockedMethodException")
                        .contains("a reactive type")
                        .contains("add reactor-core");
            }
            assertThat(in(loader, () -> start.apply(Anything.class.getName()))).isEqualTo("started");
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void aTypeOfRxJavaBehindAnOpenTypeFailsTheCall() throws Exception {
        try (URLClassLoader loader = loader()) {
            Callable<String> call = made(loader, Call.class, Callable.class);
            assertThat(in(loader, call)).startsWith("stage, ").contains("type of RxJava");
        }
    }
}
