package dev.leasehold.testtools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A redeployment starts and stops an application three times that brings Leasehold and all that its store needs: it leaves no
 * thread, and not each time a class loader. The JDK keeps the last until the next comes, and one before it for some minutes at times.
 */
public final class Redeployment {

    private static final int TIMES = 3;
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private Redeployment() {}

    /** An application has two clients, one of which waits for the other. */
    static final class Application implements Consumer<String> {

        @Override
        public void accept(String uri) {
            Leasehold one = Leasehold.connect(uri);
            Leasehold two = Leasehold.connect(uri);
            try {
                Lease lease = one.lock("a").acquire();
                CompletableFuture<Lease> waiting = two.lock("a").acquireAsync();
                while (one.locks("a").get(0).waiters().isEmpty()) {
                    Thread.sleep(10);
                }
                lease.close();
                waiting.join().close();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally { // Until all is closed: close() alone waits some seconds, and what is loaded then would be
                // missing.
                one.closeAsync().toCompletableFuture().join();
                two.closeAsync().toCompletableFuture().join();
            }
        }
    }

    /**
     * Deploys and stops the application, and waits up to a minute for what it leaves to go.
     *
     * @param uri the store's; with a long time-out, since a cold JVM on a busy machine loads all classes anew
     * @throws AssertionError if a thread stays, or each class loader
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static void leavesNothing(String uri) throws InterruptedException {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        List<WeakReference<ClassLoader>> deployed = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            deployed.add(CompletableFuture.supplyAsync(() -> deploy(uri), task -> new Thread(task).start())
                    .join());
        }
        long end = System.nanoTime() + MINUTE_NANOS;
        while (System.nanoTime() < end
                && (left(deployed) == TIMES || !since(before).isEmpty())) {
            System.gc();
            Thread.sleep(100);
        }
        assertThat(left(deployed)).isLessThan(TIMES);
        assertThat(since(before)).isEmpty();
    }

    private static long left(List<WeakReference<ClassLoader>> deployed) {
        return deployed.stream().filter(each -> each.get() != null).count();
    }

    /** Returns the threads that were not there before, but for those of the JDK and of the test's own servers. */
    private static List<Thread> since(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> !before.contains(each))
                .filter(each -> each.getThreadGroup() == Thread.currentThread().getThreadGroup())
                .filter(each -> each.getContextClassLoader() != Redeployment.class.getClassLoader())
                .toList();
    }

    /** The thread that deploys ends, since Netty leaves a value in each thread that calls it. */
    private static WeakReference<ClassLoader> deploy(String uri) {
        List<URL> places = new ArrayList<>();
        try {
            for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                places.add(Path.of(each).toUri().toURL());
            }
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
        try (URLClassLoader loader =
                new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Constructor<?> application =
                    loader.loadClass(Application.class.getName()).getDeclaredConstructor();
            application.setAccessible(true);
            @SuppressWarnings("unchecked")
            Consumer<String> started = (Consumer<String>) application.newInstance();
            started.accept(uri);
            return new WeakReference<>(loader);
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
