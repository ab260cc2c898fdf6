package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.RedisProcess;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * An application that brings Leasehold, Lettuce and Netty is deployed and stopped three times: it leaves no thread, and no class
 * loader but the last, which the JDK keeps until the next comes.
 */
class RedeployTest {

    /** The application's classes are loaded anew, by a cold JVM, which a busy machine may take long for. */
    private static final String PATIENT = "leasehold.storeTimeout=60000";

    /** An application has two clients, one of which waits for the other. */
    public static final class Application implements Consumer<String> {

        @Override
        public void accept(String uri) {
            try (Leasehold one = Leasehold.connect(uri);
                    Leasehold two = Leasehold.connect(uri)) {
                Lease lease = one.lock("a").acquire();
                CompletableFuture<Lease> waiting = two.lock("a").acquireAsync();
                while (one.locks("a").get(0).waiters().isEmpty()) {
                    Thread.sleep(10);
                }
                lease.close();
                waiting.join().close();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void nothingIsLeftOfRedis() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            leavesNothing(server.uri() + "?" + PATIENT);
        }
    }

    @Test
    void nothingIsLeftOfAQuorum() throws Exception {
        try (Masters masters = Masters.start(3)) {
            RedlockStore.of(masters.uris()).initialize();
            leavesNothing("redlock://"
                    + String.join(
                            ",",
                            masters.servers.stream()
                                    .map(each -> "localhost:" + each.port())
                                    .toList())
                    + "?" + PATIENT);
        }
    }

    private static void leavesNothing(String uri) throws Exception {
        List<WeakReference<ClassLoader>> deployed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            deployed.add(CompletableFuture.supplyAsync(() -> deploy(uri), task -> new Thread(task).start())
                    .join());
        }
        await().untilAsserted(() -> {
            System.gc();
            assertThat(deployed).filteredOn(each -> each.get() != null).hasSizeLessThan(2);
        });
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(each -> each.getName().startsWith("leasehold-"));
    }

    /** The thread that deploys ends, since Netty leaves a value in each thread that calls it. */
    private static WeakReference<ClassLoader> deploy(String uri) {
        List<URL> places = new ArrayList<>();
        try {
            for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
                places.add(Path.of(each).toUri().toURL());
            }
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
        try (URLClassLoader loader =
                new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            @SuppressWarnings("unchecked")
            Consumer<String> application = (Consumer<String>) loader.loadClass(Application.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            application.accept(uri);
            return new WeakReference<>(loader);
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
