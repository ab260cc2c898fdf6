package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The runner runs, with real servers and processes, and finds something plausible. How fast anything is, no test says. */
@Tag("slow")
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchCommandTest {

    @TempDir
    private Path directory;

    private int bench(PrintStream out, String... arguments) {
        CommandLine command = new CommandLine(new BenchCommand(out));
        command.setErr(new PrintWriter(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        return command.execute(arguments);
    }

    @Test
    void measuresAndWritesAllReports() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Path page = directory.resolve("benchmarks.md");
        int status = bench(
                new PrintStream(said, true, StandardCharsets.UTF_8),
                "--quick",
                "--workload=semaphore-2ms",
                "--contestant=leasehold,bare-queue",
                "--out=" + directory,
                "--docs=" + page);
        String output = said.toString(StandardCharsets.UTF_8);
        assertThat(status).as(output).isZero();
        assertThat(output).contains("round  1 of 1", "two bare scripts on Redis", "most at once");
        assertThat(directory.resolve("results.csv"))
                .content()
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",rate,1,[1-9]")
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",at_once,1,[1-8]\\.0\n")
                .containsPattern("semaphore-2ms,\"two bare scripts on Redis\",requests,1,2\\.")
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",moved_thread,1,")
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",warm_up,1,0\\.375\n")
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",warming,3,")
                .containsPattern("semaphore-2ms,\"Leasehold on Redis\",compiling,1,[1-9]");
        assertThat(directory.resolve("index.html")).content().contains("<svg", "semaphore of 8");
        assertThat(page)
                .content()
                .contains("<!-- begin semaphore-2ms -->", "<!-- end semaphore-2ms -->")
                .contains(
                        "Warmed up: two bare scripts on Redis 0 s, Leasehold on Redis 0 s, Leasehold on ZooKeeper 0 s. **Still compiling: ");
    }

    @Test
    void saysWhatIsWrong() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        assertThat(bench(nowhere, "--workload=none")).isEqualTo(2);
        assertThat(bench(nowhere, "--store=etcd")).isEqualTo(2);
        assertThat(bench(nowhere, "--list")).isZero();
    }

    @Test
    void eachWorkloadHasANameOfItsOwnAndIsComparedWithOurs() {
        List<Workload> all = Catalog.all();
        assertThat(all).extracting(Workload::name).doesNotHaveDuplicates();
        assertThat(all)
                .allSatisfy(workload -> assertThat(workload.contestants())
                        .anySatisfy(contestant ->
                                assertThat(contestant.peer().isLeasehold()).isTrue()));
    }

    /** Every workload on every store with every contestant, for a moment. */
    @Test
    @Tag("extended")
    @Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void everyWorkloadRuns() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = bench(
                new PrintStream(said, true, StandardCharsets.UTF_8), "--quick", "--set=all", "--out=" + directory);
        assertThat(status).as(said.toString(StandardCharsets.UTF_8)).isZero();
    }
}
