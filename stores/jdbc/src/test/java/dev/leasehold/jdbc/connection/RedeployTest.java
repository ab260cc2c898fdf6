package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that brings Leasehold is deployed and stopped five times beside drivers that stay: it leaves neither a
 * thread nor a class loader.
 */
@Tag("slow")
class RedeployTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @TempDir
    Path directory;

    /** An application has two clients, one of which waits for the other. */
    public static final class Application implements Consumer<String> {

        @Override
        public void accept(String url) {
            try (Leasehold one = Leasehold.connect(url);
                    Leasehold two = Leasehold.connect(url)) {
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
    void nothingIsLeftOfH2() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        DriverManager.getConnection(url).close(); // Its own thread belongs to who opens it first, and stays.
        leavesNothing(url);
    }

    @Test
    void nothingIsLeftOfSqlite() throws Exception {
        leavesNothing("sqlite:" + directory.resolve("locks.db"));
    }

    @Test
    void nothingIsLeftOfPostgres() throws Exception {
        leavesNothing(POSTGRES.get().url());
    }

    @Test
    void nothingIsLeftOfMariaDb() throws Exception {
        leavesNothing(MARIADB.get().url());
    }

    private static void leavesNothing(String url) throws Exception {
        Set<Thread> others = Thread.getAllStackTraces().keySet(); // Clients of other tests may still be closing.
        List<WeakReference<ClassLoader>> deployed = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            deployed.add(deploy(url));
        }
        await().untilAsserted(() -> {
            System.gc();
            assertThat(deployed).allMatch(each -> each.get() == null);
        });
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(each -> each.getName().startsWith("leasehold-") && !others.contains(each));
    }

    /** The thread that deploys is the server's, and lives on. */
    private static WeakReference<ClassLoader> deploy(String url) throws Exception {
        URL[] places = Stream.of(Leasehold.class, JdbcStore.class, HikariDataSource.class, RedeployTest.class)
                .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
                .toArray(URL[]::new);
        ClassLoader parent = new ClassLoader(RedeployTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith("dev.leasehold.") || name.startsWith("com.zaxxer.")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }

            @Override
            public java.util.Enumeration<URL> getResources(String name) {
                return java.util.Collections.emptyEnumeration();
            }
        };
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(places, parent)) {
            current.setContextClassLoader(loader);
            @SuppressWarnings("unchecked")
            Consumer<String> application = (Consumer<String>) loader.loadClass(Application.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            application.accept(url);
            return new WeakReference<>(loader);
        } finally {
            current.setContextClassLoader(before);
        }
    }
}
