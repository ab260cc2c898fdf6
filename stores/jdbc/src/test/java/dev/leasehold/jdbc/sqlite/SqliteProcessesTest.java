package dev.leasehold.jdbc.sqlite;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.jdbc.ChildClient;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.LeaseId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about several processes on one file, some of them killed with {@code kill -9}. */
@Tag("slow")
class SqliteProcessesTest {

    @TempDir
    Path directory;

    private final List<Process> children = new ArrayList<>();
    private final Random random = new Random();

    @AfterEach
    void killAll() throws InterruptedException {
        for (Process child : children) {
            kill(child);
        }
    }

    /**
     * An answer that was given before a kill is in the file after it: if a grant was the last thing that was said, the
     * lock is held with that token; if a release was, it is not. (Between "releasing" and "released" both are right.)
     */
    @Test
    void aKilledProcessLosesNothingThatWasAnswered() throws Exception {
        Path file = directory.resolve("locks.db");
        int grants = 0;
        int releases = 0;
        try (TestClient witness = new TestClient(file, ExpiryClock.ofThisMachine())) {
            for (int round = 0; round < 5; round++) {
                List<Process> running = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    running.add(start("cycle", file.toString(), "lock-" + round + "-" + i, "600000"));
                }
                for (Process child : running) {
                    child.getInputStream().read();
                    TimeUnit.MICROSECONDS.sleep(random.nextInt(30_000));
                    kill(child);
                }
                for (int i = 0; i < running.size(); i++) {
                    String name = "lock-" + round + "-" + i;
                    List<String> said = linesOf(running.get(i));
                    String[] last = said.get(said.size() - 1).split(" ");
                    if (last.length < 2 || last[1].length() < 16) {
                        continue; // Cut off in the middle of a word.
                    }
                    List<LockInfo> info = witness.inspect(name);
                    long held = info.isEmpty() || info.get(0).holder() == null
                            ? 0
                            : info.get(0).holder().token();
                    if (last[0].endsWith("granted")) {
                        assertThat(held).as(name + " " + said.size()).isEqualTo(Long.parseLong(last[1]));
                        grants++;
                    } else if (last[0].equals("released")) {
                        assertThat(held).as(name).isNotEqualTo(Long.parseLong(last[1]));
                        releases++;
                    }
                    if (held != 0) {
                        assertThat(witness.breakLease(name, held)).isTrue();
                    }
                    assertThat(witness.acquire(name).token()).isGreaterThan(Long.parseLong(last[1]));
                }
            }
        }
        System.out.println("killed after a grant: " + grants + ", after a release: " + releases);
    }

    /** Under contention, with holders killed at random: never two at once, tokens in the order of the holds. */
    @Test
    @DisplayName("Killed holders never let two in and block for one lease at most")
    void killedHoldersBlockForOneLeaseAtMost() throws Exception {
        Path file = directory.resolve("locks.db");
        Path log = directory.resolve("log");
        List<Process> running = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            running.add(start("append", file.toString(), "one", "1000", log.toString()));
        }
        for (int kills = 0; kills < 6; kills++) {
            long before = lines(log);
            await().until(() -> lines(log) > before + 20);
            int victim = random.nextInt(running.size());
            kill(running.get(victim));
            running.set(victim, start("append", file.toString(), "one", "1000", log.toString()));
        }
        running.forEach(SqliteProcessesTest::kill);

        List<String> lines = Files.readAllLines(log);
        assumeThat(lines).as("the machine is fast enough").noneMatch(line -> line.startsWith("late"));
        long last = 0;
        boolean in = false;
        int killedInside = 0;
        for (String line : lines) {
            long token = Long.parseLong(line.substring(line.indexOf(' ') + 1));
            if (line.startsWith("in ")) {
                assertThat(token).isGreaterThan(last);
                killedInside += in ? 1 : 0;
                in = true;
            } else {
                assertThat(in).isTrue();
                assertThat(token).isEqualTo(last);
                in = false;
            }
            last = token;
        }
        assertThat(killedInside).isLessThanOrEqualTo(6);
    }

    @Test
    @DisplayName("A waiter in another process is handed the lock and an earlier one is first")
    void aWaiterInAnotherProcessIsHandedTheLock() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine())) {
            LeaseId held = client.acquire("a");
            List<Process> waiting = new ArrayList<>();
            for (int i = 1; i <= 2; i++) {
                int inQueue = i;
                waiting.add(start("hold", file.toString(), "a", "60000"));
                await().until(() -> client.inspect("a").get(0).waiters().size() == inQueue);
            }
            client.release(held);
            String first = reader(waiting.get(0)).readLine();
            HolderInfo holder = client.inspect("a").get(0).holder();
            assertThat(first).isEqualTo("granted " + holder.token());
            assertThat(holder.token()).isGreaterThan(held.token());
            kill(waiting.get(0));
            client.breakLease("a", holder.token());
            assertThat(reader(waiting.get(1)).readLine()).startsWith("granted ");
        }
    }

    @Test
    void aHolderInAnotherProcessIsToldThatItsLeaseWasBroken() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine())) {
            Process holder = start("hold", file.toString(), "a", "60000");
            BufferedReader said = reader(holder);
            long token = Long.parseLong(said.readLine().substring("granted ".length()));
            assertThat(client.breakLease("a", token)).isTrue();
            assertThat(said.readLine()).isEqualTo("doubt a");
        }
    }

    @Test
    @DisplayName("A holder hears that the file was deleted, and tokens still increase")
    void aHolderIsToldThatTheFileWasDeleted() throws Exception {
        Path file = directory.resolve("locks.db");
        Process holder = start("hold", file.toString(), "a", "60000");
        BufferedReader said = reader(holder);
        long token = Long.parseLong(said.readLine().substring("granted ".length()));
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(Path.of(file + suffix));
        }
        assertThat(said.readLine()).isEqualTo("doubt all");
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine())) {
            assertThat(client.acquire("a").token()).isGreaterThan(token);
        }
    }

    /** Many processes that create the file at the same moment all find the same one, whole. */
    @Test
    void theFileIsCreatedOnce() throws Exception {
        Path file = directory.resolve("new/deep/locks.db");
        List<Process> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(start("hold", file.toString(), "lock-" + i, "60000"));
        }
        Set<String> tokens = new HashSet<>();
        for (Process child : all) {
            tokens.add(reader(child).readLine());
        }
        assertThat(tokens).hasSize(4).allMatch(line -> line != null && line.startsWith("granted "));
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine())) {
            assertThat(client.inspect("*")).hasSize(4);
            Claim another = client.newClaim("lock-5");
            assertThat(client.ask(another)).isInstanceOf(Granted.class);
        }
    }

    private Process start(String... args) throws IOException {
        Process child = ChildClient.start(args);
        children.add(child);
        return child;
    }

    private static void kill(Process child) {
        child.toHandle().destroyForcibly(); // Process.destroyForcibly would throw away what it has said.
        try {
            assertThat(child.waitFor(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static BufferedReader reader(Process child) {
        return new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    }

    private static List<String> linesOf(Process child) throws IOException {
        return reader(child).lines().toList();
    }

    private static long lines(Path log) throws IOException {
        return Files.exists(log) ? Files.readAllLines(log).size() : 0;
    }
}
