package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in docs/election.md compiles, and does what it says. */
@Tag("slow")
class ElectionPageTest {

    private static final String AROUND = """
            import dev.leasehold.*;
            import dev.leasehold.doctor.*;
            import dev.leasehold.inspect.*;
            import java.time.Duration;
            import java.util.*;
            public class Election {
                static class Done extends RuntimeException {}
                static class Invoices {
                    long last;
                    void sendNext(long term) { if (last == term) { throw new Done(); } last = term; }
                }
                static class Scheduler {
                    volatile Lease lease;
                    volatile boolean stopped;
                    void startUnder(Lease given) { lease = given; }
                    void stop() { stopped = true; }
                }
                public static String run() throws Exception {
                    try (Leasehold leasehold = Leasehold.connect("memory:")) {
                        Invoices invoices = new Invoices();
                        try {
                            work(leasehold, invoices);
                        } catch (Done done) {
                        }
                        Scheduler scheduler = new Scheduler();
                        know(leasehold, scheduler);
                        return (invoices.last > 0) + " " + (scheduler.lease.token() > invoices.last) + " " + scheduler.stopped;
                    }
                }
                static void work(Leasehold leasehold, Invoices invoices) throws Exception {
                    %s
                }
                static void know(Leasehold leasehold, Scheduler scheduler) throws Exception {
                    %s
                }
            }
            """;

    @TempDir
    Path directory;

    @Test
    void itsCodeCompilesAndRuns() throws Exception {
        List<String> blocks = Pages.javaIn("docs/election.md");
        assertThat(blocks).hasSize(2);
        Pages.compileClass("Election", AROUND.formatted(blocks.get(0), blocks.get(1)), directory);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Object result = loader.loadClass("Election").getMethod("run").invoke(null);
            assertThat(result).isEqualTo("true true true");
        }
    }
}
