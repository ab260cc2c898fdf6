package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many processes want one lock, and a file shows whether they had it one at a time. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ContentionEndToEnd {

    private static final int PROCESSES = 4;

    /**
     * Reads a journal, waits, writes it with one more line: "run token". What is written in between by another is lost.
     * Before, it looks whether the last one that began still runs: the same process, and not another with its number.
     */
    private static final String COMMAND = """
            birth() {
              stat=$(cat "/proc/$1/stat" 2>/dev/null) && set -- ${stat##*) } && [ "$1" != Z ] && shift 19 && echo "$1"
            }
            if [ -e owner ] && read -r run other born <owner && [ "$(birth "$other")" = "$born" ]; then
              echo "$1 with token $LEASEHOLD_TOKEN began at $(cut -d ' ' -f 1 /proc/uptime) while $run ran ($other)" >>overlaps
            fi
            echo "$1 $$ $(birth $$)" >owner
            cat journal >"journal.$1"
            sleep "$2"
            echo "$1 $LEASEHOLD_TOKEN" >>"journal.$1"
            mv "journal.$1" journal
            """;

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @BeforeEach
    void prepare() throws Exception {
        Files.createFile(dir.resolve("journal"));
    }

    @Test
    void twentyRunsOfFourProcessesCountToTwenty() throws Exception {
        countsExactly(5);
    }

    @Test
    @Tag("extended")
    void aHundredRunsOfFourProcessesCountToAHundred() throws Exception {
        countsExactly(25);
    }

    private void countsExactly(int runs) throws Exception {
        inParallel(process -> {
            for (int run = 0; run < runs; run++) {
                leasehold
                        .run("run", "demo", "sh", "-c", COMMAND, "sh", process + "." + run, "0")
                        .succeeded();
            }
        });

        assertThat(journal()).hasSize(PROCESSES * runs);
        assertThat(journal().stream().map(Entry::run).distinct()).hasSize(PROCESSES * runs);
        assertTokensIncrease();
        assertNoOverlaps("no trouble");
    }

    @Test
    @DisplayName("No two commands run at a time while wrappers are killed and stopped")
    void noTwoCommandsRunAtATime() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ConcurrentLinkedQueue<String> successful = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Program.Run> running = new ConcurrentLinkedQueue<>();
        ExecutorService trouble = Executors.newSingleThreadExecutor();
        Future<Integer> troubles = trouble.submit(() -> makeTrouble(running, random));
        try {
            inParallel(process -> {
                for (int run = 0; run < 5; run++) {
                    String name = process + "." + run;
                    Program.Run one =
                            leasehold.start("run", "--lease", "3", "demo", "sh", "-c", COMMAND, "sh", name, "0.3");
                    running.add(one);
                    if (one.status() == 0) {
                        successful.add(name);
                    } else {
                        assertThat(one.status()).as(one.err()).isIn(79, 137, 143);
                    }
                    running.remove(one);
                }
            });
        } finally {
            trouble.shutdownNow();
        }

        assertNoOverlaps("seed " + seed);
        assertThat(journal().stream().map(Entry::run).toList())
                .as("seed " + seed)
                .doesNotHaveDuplicates()
                .containsAll(successful);
        assertTokensIncrease();
        assertThat(successful).isNotEmpty();
        assertThat(troubles.get(A_MINUTE, TimeUnit.SECONDS)).isPositive();
    }

    /** Until it is interrupted; returns how often. */
    private static int makeTrouble(ConcurrentLinkedQueue<Program.Run> running, Random random) throws Exception {
        int count = 0;
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(500));
                List<Program.Run> choice = new ArrayList<>(running);
                if (choice.isEmpty()) {
                    continue;
                }
                Program.Run victim = choice.get(random.nextInt(choice.size()));
                if (!victim.process().isAlive()) {
                    continue;
                }
                if (random.nextInt(3) == 0) {
                    victim.process().destroyForcibly();
                    count++;
                } else if (Processes.reaches("STOP", victim.process().pid())) {
                    count++;
                    try {
                        TimeUnit.MILLISECONDS.sleep(random.nextInt(6_000));
                    } finally {
                        Processes.reaches("CONT", victim.process().pid());
                    }
                }
            }
        } catch (InterruptedException e) {
            return count;
        }
    }

    private record Entry(String run, long token) {}

    private List<Entry> journal() throws Exception {
        return Files.readAllLines(dir.resolve("journal")).stream()
                .map(line -> line.split(" "))
                .map(words -> new Entry(words[0], Long.parseLong(words[1])))
                .toList();
    }

    private void assertTokensIncrease() throws Exception {
        List<Long> tokens = journal().stream().map(Entry::token).toList();
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    private void assertNoOverlaps(String what) throws Exception {
        Path overlaps = dir.resolve("overlaps");
        assertThat(Files.exists(overlaps) ? Files.readString(overlaps) : "")
                .as(what)
                .isEmpty();
    }

    private interface Work {
        void by(int process) throws Exception;
    }

    private static void inParallel(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                int process = i;
                tasks.add(() -> {
                    work.by(process);
                    return null;
                });
            }
            for (Future<Void> done :
                    threads.invokeAll(tasks, Duration.ofMinutes(10).toSeconds(), TimeUnit.SECONDS)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
