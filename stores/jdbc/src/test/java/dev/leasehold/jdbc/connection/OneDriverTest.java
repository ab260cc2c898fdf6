package dev.leasehold.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcStore;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client finds the driver of its URL, also where {@code DriverManager} does not see it, and touches no other. */
@Tag("slow")
class OneDriverTest {

    /** An application takes a lock, and names the threads that are left. */
    public static final class Application implements Runnable {

        @Override
        public void run() {
            try (Leasehold client = Leasehold.builder()
                            .uri("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
                            .storeTimeout(Duration.ofMinutes(1))
                            .build();
                    Lease lease = client.lock("a").acquire()) {
                lease.ensureValid();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        public static void main(String[] args) {
            new Application().run();
            Thread.getAllStackTraces().keySet().forEach(each -> System.out.println("thread " + each.getName()));
            System.exit(0);
        }
    }

    /** As in a server whose applications share Leasehold, and each have a driver. */
    @Test
    void aDriverOfTheContextLoaderIsFound() throws Exception {
        URL[] shared = Stream.of(
                        Leasehold.class,
                        JdbcStore.class,
                        HikariDataSource.class,
                        OneDriverTest.class,
                        Class.forName("org.slf4j.Logger"))
                .map(OneDriverTest::placeOf)
                .toArray(URL[]::new);
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader server = new URLClassLoader(shared, ClassLoader.getPlatformClassLoader());
                URLClassLoader application =
                        new URLClassLoader(new URL[] {placeOf(Class.forName("org.h2.Driver"))}, server)) {
            Runnable run = (Runnable) server.loadClass(Application.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            current.setContextClassLoader(application);
            run.run();
        } finally {
            current.setContextClassLoader(before);
        }
    }

    private static URL placeOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** MySQL's starts a thread for ever as soon as it is loaded. */
    @Test
    void noOtherDriverIsTouched() throws Exception {
        assertThat(Class.forName("com.mysql.cj.jdbc.Driver", false, OneDriverTest.class.getClassLoader()))
                .isNotNull();
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        Application.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream said = process.getInputStream()) {
            String threads = new String(said.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(threads).contains("thread main").doesNotContain("mysql");
        } finally {
            process.destroyForcibly();
        }
    }
}
