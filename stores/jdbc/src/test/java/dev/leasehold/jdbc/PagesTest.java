package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The links of all pages lead somewhere, and the Java code in them compiles. */
@Tag("slow")
class PagesTest {

    private static final String COMMON = """
            import dev.leasehold.*;
            import dev.leasehold.doctor.*;
            import dev.leasehold.inspect.*;
            import java.sql.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.*;
            import javax.sql.DataSource;
            static Leasehold leasehold;
            static DistributedLock lock;
            """;

    /** This code stands around the blocks of each page that is compiled here. */
    private static final Map<String, String> AROUND = Map.of(
            "docs/election.md",
            COMMON + """
                    static class Invoices { void sendNext(long term) {} }
                    static class Scheduler { void startUnder(Lease lease) {} void stop() {} }
                    static Invoices invoices;
                    static Scheduler scheduler;
                    """,
            "docs/java.md",
            COMMON + """
                    import dev.leasehold.jdbc.JdbcStore;
                    interface Item { void write(long token); }
                    static List<Item> items;
                    static DataSource dataSource;
                    static Lease lease;
                    static void log(String line) {}
                    """,
            "docs/sql.md",
            COMMON + """
                    import dev.leasehold.jdbc.*;
                    import org.springframework.jdbc.core.*;
                    import org.springframework.transaction.annotation.*;
                    static DataSource dataSource;
                    static long read(Connection connection) { return 0; }
                    static void write(Connection connection, long balance) {}
                    """,
            "docs/semaphores.md",
            COMMON + """
                    import dev.leasehold.jdbc.JdbcFence;
                    static JdbcFence fence;
                    static Connection connection;
                    static Lease permit;
                    static void call() {}
                    static void publish() {}
                    static void consume(String queue) {}
                    """,
            "docs/read-write.md",
            COMMON + """
                    import dev.leasehold.jdbc.JdbcFence;
                    static JdbcFence fence;
                    static Connection connection;
                    static Lease lease;
                    static void show() {}
                    static void rebuild(long token) {}
                    """);

    /** Pages with code that is compiled by a test of its own. */
    private static final Set<String> ELSEWHERE = Set.of(
            "README.md", // ReadmeTest
            "README.zh-CN.md", // ChineseReadmeTest: it is the code of README.md
            "docs/migrating.md", // MigratingPageTest in the module benchmarks
            "docs/testing.md", // TestingPageTest
            "docs/redis.md", // RedisPageTest in the module redis
            "docs/spring.md", // SpringPageTest in the module example
            "docs/zookeeper.md"); // ZooKeeperPageTest in the module zookeeper

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("compiledHere")
    void itsCodeCompiles(String page) throws IOException {
        assertThat(Pages.javaIn(page)).isNotEmpty();
        Pages.compile(page, AROUND.get(page), directory);
    }

    static Set<String> compiledHere() {
        return new TreeSet<>(AROUND.keySet());
    }

    @Test
    void noPageWithCodeIsLeftOut() throws IOException {
        Set<String> withCode = new TreeSet<>();
        for (String page : Pages.all()) {
            if (!Pages.javaIn(page).isEmpty()) {
                withCode.add(page);
            }
        }
        Set<String> compiled = new TreeSet<>(AROUND.keySet());
        compiled.addAll(ELSEWHERE);
        assertThat(withCode).isEqualTo(compiled);
    }

    @Test
    @DisplayName("Every relative link leads to a file and a heading that are there")
    void everyRelativeLinkLeadsSomewhere() throws IOException {
        Map<String, Object> broken = new TreeMap<>();
        for (String page : Pages.all()) {
            if (!Pages.brokenLinks(page).isEmpty()) {
                broken.put(page, Pages.brokenLinks(page));
            }
        }
        assertThat(broken).isEmpty();
    }
}
