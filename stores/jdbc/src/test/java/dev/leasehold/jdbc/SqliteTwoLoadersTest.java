package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about two applications in one JVM, each with a SQLite driver and a Leasehold of its own. */
@Tag("slow")
class SqliteTwoLoadersTest {

    @TempDir
    Path dir;

    /** An application carries out commands and answers in words, since the two share no class of ours. */
    public static final class Application implements UnaryOperator<String> {

        private Leasehold leasehold;
        private Optional<Lease> lease = Optional.empty();

        @Override
        public String apply(String command) {
            try {
                if (command.startsWith("open ")) {
                    leasehold = Leasehold.connect("sqlite:" + command.substring(5));
                } else if (command.equals("try")) {
                    lease = leasehold.lock("job").tryAcquire();
                    return lease.isPresent() ? "has it" : "busy";
                } else if (command.equals("release")) {
                    lease.ifPresent(Lease::close);
                } else {
                    leasehold.close();
                }
                return "done";
            } catch (LockException e) {
                return e.getMessage();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static UnaryOperator<String> application(Class<?>... shared) throws Exception {
        List<Class<?>> all = List.of(
                Leasehold.class,
                JdbcStore.class,
                SqliteTwoLoadersTest.class,
                Class.forName("org.sqlite.JDBC"),
                Class.forName("org.slf4j.Logger"));
        URL[] places = all.stream()
                .map(one -> one.getProtectionDomain().getCodeSource().getLocation())
                .toArray(URL[]::new);
        ClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                for (Class<?> one : shared) {
                    if (name.startsWith(one.getPackageName() + ".")) {
                        return one.getClassLoader().loadClass(name);
                    }
                }
                return super.findClass(name);
            }
        };
        return (UnaryOperator<String>) loader.loadClass(Application.class.getName())
                .getDeclaredConstructor()
                .newInstance();
    }

    @Test
    @DisplayName("The second driver is refused until the first application has closed")
    void theSecondDriverIsRefusedWhileTheFirstIsOpen() throws Exception {
        Path file = dir.resolve("locks.db");
        UnaryOperator<String> first = application();
        UnaryOperator<String> second = application();
        assertThat(first.apply("open " + file)).isEqualTo("done");
        assertThat(first.apply("try")).isEqualTo("has it");
        Path link = Files.createSymbolicLink(dir.resolve("link.db"), file);
        assertThat(second.apply("open " + link)).isEqualTo("done");
        assertThat(second.apply("try")).contains("another class loader", "sqlite-jdbc");
        assertThat(first.apply("release")).isEqualTo("done");
        assertThat(second.apply("try")).contains("another class loader");
        assertThat(first.apply("close")).isEqualTo("done");
        // A try has a second, and the second driver opens the file only now.
        await().untilAsserted(() -> assertThat(second.apply("try")).isEqualTo("has it"));
        assertThat(first.apply("open " + file)).isEqualTo("done");
        assertThat(first.apply("try")).contains("another class loader");
        assertThat(second.apply("close")).isEqualTo("done");
        assertThat(first.apply("close")).isEqualTo("done");
        assertThat(System.getProperties().stringPropertyNames())
                .noneMatch(name -> name.startsWith("dev.leasehold.sqlite."));
    }

    @Test
    void twoCopiesOfLeaseholdWithOneDriverExcludeEachOther() throws Exception {
        Path file = dir.resolve("locks.db");
        UnaryOperator<String> first = application(Class.forName("org.sqlite.JDBC"));
        UnaryOperator<String> second = application(Class.forName("org.sqlite.JDBC"));
        assertThat(first.apply("open " + file)).isEqualTo("done");
        assertThat(second.apply("open " + file)).isEqualTo("done");
        assertThat(first.apply("try")).isEqualTo("has it");
        assertThat(second.apply("try")).isEqualTo("busy");
        assertThat(first.apply("release")).isEqualTo("done");
        assertThat(second.apply("try")).isEqualTo("has it");
        assertThat(second.apply("close")).isEqualTo("done");
        assertThat(first.apply("close")).isEqualTo("done");
    }
}
