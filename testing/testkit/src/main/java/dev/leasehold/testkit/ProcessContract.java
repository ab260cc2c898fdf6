package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.leasehold.Leasehold;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process contract has the promises between real processes, which are killed and stopped. It is for stores that reach
 * beyond one JVM; a store's module extends this class and names the store:
 *
 * <pre>{@code
 * class MyStoreProcessContractTest extends ProcessContract {
 *     @Override
 *     protected String uri() {
 *         return "mystore://localhost:" + server.port();
 *     }
 * }
 * }</pre>
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ProcessContract {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final String lock = "lock-" + UUID.randomUUID();
    private final List<ContenderProcess> processes = new ArrayList<>();
    private @Nullable Path directory;
    private @Nullable Leasehold watcher;
    private @Nullable String store;

    /** Makes the contract, for subclasses. */
    protected ProcessContract() {}

    /**
     * Returns the store under test, as the processes name it. Called once per test.
     *
     * @return its URI
     * @throws Exception if it cannot be made; the test fails
     */
    protected abstract String uri() throws Exception;

    /**
     * Opens a client that looks on.
     *
     * @param temporary where the processes write
     * @throws Exception if the store cannot be made
     */
    @BeforeEach
    protected final void openWatcher(@TempDir Path temporary) throws Exception {
        directory = temporary;
        store = uri();
        watcher = Leasehold.builder()
                .uri(store)
                .storeTimeout(ClientFixture.LONGEST_WAIT)
                .build();
    }

    /** Ends all processes. */
    @AfterEach
    protected final void closeProcesses() {
        processes.forEach(ContenderProcess::close);
        if (watcher != null) {
            watcher.close();
        }
    }

    @Test
    @DisplayName("Four processes count exactly, and their tokens increase in the order of their writes")
    void fourProcessesCountExactly() throws Exception {
        List<ContenderProcess> four = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            four.add(start("contender-" + i));
        }
        for (ContenderProcess process : four) {
            process.order("count 25");
        }
        for (ContenderProcess process : four) {
            process.expect("counted");
        }
        List<HoldRecord> history = ContenderProcess.history(directory());
        assertThat(history).hasSize(100);
        HistoryChecker.of(Duration.ofMillis(500))
                .withProgress(ClientFixture.LONGEST_WAIT)
                .check(history);
        // Where leases hang on sessions, a busy machine may stop one for longer than that. It knows that and does not
        // count, or is told after it has.
        long holds = history.stream().filter(HoldRecord::isHold).count();
        long certain = history.stream()
                .filter(record -> record.end() == HoldRecord.End.RELEASED)
                .count();
        assertThat(certain)
                .as(() -> "those that were not lost among " + history)
                .isGreaterThan(50);
        assertThat(count()).as(() -> "the number in the file, after " + history).isBetween(certain, holds);
    }

    @Test
    void processesAreServedInTheOrderInWhichTheyCame() throws Exception {
        ContenderProcess holder = start("holder");
        holder.order("acquire").expect("held");
        List<ContenderProcess> waiters = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            ContenderProcess waiter = start("waiter-" + i);
            waiter.order("acquire");
            waiters.add(waiter);
            awaitWaiters(i);
        }
        holder.order("release").expect("RELEASED");
        for (int i = 0; i < 4; i++) {
            waiters.get(i).expect("held");
            for (ContenderProcess later : waiters.subList(i + 1, 4)) {
                assertThat(later.hasAnswered()).isFalse();
            }
            waiters.get(i).order("release").expect("RELEASED");
        }
    }

    @Test
    void aKilledHolderBlocksTheOthersForALeaseAtMost() throws Exception {
        ContenderProcess holder = start("holder", LEASE);
        ContenderProcess waiter = start("waiter", LEASE);
        long before = holdAndWait(holder, waiter);
        holder.kill();
        assertThatALeaseAtMostIsLeft();
        long after = Long.parseLong(waiter.expect("held"));
        assertThat(after).isGreaterThan(before);
    }

    @Test
    @DisplayName("Killed waiters delay the others by about a lease at most, however many they are")
    void killedWaitersDelayTheOthersByALeaseAtMost() throws Exception {
        ContenderProcess holder = start("holder");
        holder.order("acquire").expect("held");
        List<ContenderProcess> killed = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            ContenderProcess waiter = start("killed-" + i, LEASE);
            waiter.order("acquire");
            killed.add(waiter);
            awaitWaiters(i);
        }
        ContenderProcess living = start("living", LEASE);
        living.order("acquire");
        awaitWaiters(4);
        for (ContenderProcess waiter : killed) {
            waiter.kill();
        }
        holder.order("release").expect("RELEASED");
        assertThatALeaseAtMostIsLeft();
        living.expect("held");
    }

    @Test
    @DisplayName("Processes that are killed at random lose nothing that was counted, and block nobody for long")
    void randomKillsLoseNoCountAndBlockNobodyForLong() throws Exception {
        Random random = new Random(7);
        int killed = 5;
        List<ContenderProcess> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(start("contender-" + i, LEASE));
            three.get(i).order("count 100000");
        }
        for (int i = 0; i < killed; i++) {
            long enough = count() + 5 + random.nextInt(10);
            ClientFixture.eventually("they go on counting", () -> count() >= enough);
            int victim = random.nextInt(3);
            three.get(victim).kill();
            three.set(victim, start("replacement-" + i, LEASE));
            three.get(victim).order("count 100000");
        }
        long enough = count() + 10;
        ClientFixture.eventually("they go on counting", () -> count() >= enough);
        for (ContenderProcess process : three) {
            process.kill();
        }
        List<HoldRecord> history = ContenderProcess.history(directory());
        HistoryChecker.of(Duration.ofMillis(500)).check(history);
        long holds = history.stream().filter(HoldRecord::isHold).count();
        long certain = history.stream()
                .filter(record -> record.end() == HoldRecord.End.RELEASED)
                .count();
        // Of the others, all but a few of killed processes, it is not known whether they have written.
        assertThat(holds - certain).isLessThan(holds / 2);
        assertThat(count()).isBetween(certain, holds);
    }

    @Test
    @DisplayName("A holder that was stopped past its lease knows it at its first look")
    void aStoppedHolderKnowsItAtItsFirstLook() throws Exception {
        assumeThat(System.getProperty("os.name")).doesNotStartWith("Windows");
        ContenderProcess holder = start("holder", LEASE);
        ContenderProcess waiter = start("waiter");
        holdAndWait(holder, waiter);
        holder.stopBetweenTransactions();
        try {
            waiter.expect("held");
            holder.order("valid");
        } finally {
            holder.resume();
        }
        holder.expect("false");
        holder.order("release").expect("LOST");
        waiter.order("valid").expect("true");
    }

    @Test
    @Tag("extended")
    @DisplayName("A holder that runs for a tenth of the time keeps its lease, or says that it has lost it")
    void aThrottledHolderKeepsItsLeaseOrSaysSo() throws Exception {
        assumeThat(System.getProperty("os.name")).doesNotStartWith("Windows");
        // As by a cgroup's quota; as by a swapping machine; for longer than a lease.
        for (Duration stop : List.of(Duration.ofMillis(90), Duration.ofMillis(900), LEASE.plusMillis(700))) {
            ContenderProcess holder = start("holder-" + stop.toMillis(), LEASE);
            ContenderProcess waiter = start("waiter-" + stop.toMillis());
            holdAndWait(holder, waiter);
            boolean passedOn = false;
            boolean valid = true;
            Process shell = holder.throttle(stop);
            try {
                long start = System.nanoTime();
                while (valid
                        && System.nanoTime() - start < LEASE.multipliedBy(5).toNanos()) {
                    passedOn = waiter.hasAnswered();
                    valid = Boolean.parseBoolean(holder.order("valid").expect(""));
                    assertThat(passedOn && valid)
                            .as("two have it, stops of %s", stop)
                            .isFalse();
                }
            } finally {
                shell.destroy();
                shell.waitFor();
            }
            String end = holder.order("release").expect("");
            assertThat(end).isIn(valid ? List.of("RELEASED", "LOST") : List.of("LOST"));
            waiter.expect("held");
            waiter.order("valid").expect("true");
            waiter.order("release").expect("RELEASED");
        }
    }

    @Test
    @DisplayName(
            "Five candidates never lead together, and have a leader within a lease whatever happens to the last one")
    void fiveCandidatesNeverLeadTogether() throws Exception {
        assumeThat(System.getProperty("os.name")).doesNotStartWith("Windows");
        List<ContenderProcess> candidates = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            candidates.add(start("candidate-" + i, LEASE));
        }
        for (ContenderProcess candidate : candidates) {
            candidate.order("campaign").expect("campaigning");
        }
        ContenderProcess killed = leader(candidates);
        awaitWaiters(4);
        killed.kill();
        candidates.remove(killed);

        ContenderProcess stopped = leader(candidates);
        stopped.stopBetweenTransactions();
        candidates.remove(stopped);
        ContenderProcess resigns;
        try {
            resigns = leader(candidates);
            stopped.order("leads");
        } finally {
            stopped.resume();
        }
        stopped.expect("false");
        candidates.add(stopped);

        awaitWaiters(3);
        while (!resigns.order("resign").expect("").equals("true")) {
            resigns = leader(candidates); // The machine has stopped the one before for a lease.
        }
        resigns.order("leads").expect("false");
        ContenderProcess leaves = leader(candidates);
        leaves.order("leave").expect("left");
        candidates.remove(leaves);
        leader(candidates);

        for (ContenderProcess candidate : candidates) {
            candidate.order("leave").expect("left");
        }
        List<HoldRecord> history = ContenderProcess.history(directory());
        assertThat(history.stream().filter(HoldRecord::isHold).count())
                .as("terms in %s", history)
                .isGreaterThanOrEqualTo(5);
        HistoryChecker.of(Duration.ofMillis(500))
                .withProgress(ClientFixture.LONGEST_WAIT)
                .check(history);
    }

    private static ContenderProcess leader(List<ContenderProcess> of) throws Exception {
        long start = System.nanoTime();
        while (System.nanoTime() - start < ClientFixture.LONGEST_WAIT.toNanos()) {
            for (ContenderProcess candidate : of) {
                if (candidate.order("leads").expect("").equals("true")) {
                    return candidate;
                }
            }
        }
        throw new AssertionError("nobody leads after " + ClientFixture.LONGEST_WAIT);
    }

    private ContenderProcess start(String name) throws IOException, InterruptedException {
        return start(name, ClientFixture.NEVER);
    }

    private ContenderProcess start(String name, Duration lease) throws IOException, InterruptedException {
        ContenderProcess process =
                ContenderProcess.start(name, StoreClient.present("the store", store), lock, lease, directory());
        processes.add(process);
        process.expect("ready");
        return process;
    }

    private Path directory() {
        return StoreClient.present("the directory", directory);
    }

    private long count() {
        try {
            Path counter = directory().resolve("counter");
            return Files.exists(counter)
                    ? Long.parseLong(Files.readString(counter).split(" ", -1)[0])
                    : 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /**
     * Has one hold the lock and the other wait, and returns the holder's token. A process that a busy machine has not let run for a
     * lease has lost it, and begins anew.
     */
    private long holdAndWait(ContenderProcess holder, ContenderProcess waiter) throws Exception {
        Leasehold looking = StoreClient.present("the watcher", watcher);
        while (true) {
            long token = Long.parseLong(holder.order("acquire").expect("held"));
            waiter.order("acquire");
            while (!waiter.hasAnswered()) {
                if (looking.locks(lock).stream().anyMatch(seen -> seen.waiters().size() == 1)) {
                    return token;
                }
                ClientFixture.pause(Duration.ofMillis(20));
            }
            waiter.expect("held");
            waiter.order("release").expect("RELEASED");
            holder.order("release").expect("LOST");
        }
    }

    /** By the store's clock: how long a slow machine takes to notice is another matter. */
    private void assertThatALeaseAtMostIsLeft() throws InterruptedException {
        assertThat(StoreClient.present("the watcher", watcher).locks(lock))
                .flatExtracting(LockInfo::holders)
                .extracting(HolderInfo::timeLeft)
                .allSatisfy(left -> assertThat(left == null || left.compareTo(LEASE) <= 0)
                        .as("%s is left", left)
                        .isTrue());
    }

    private void awaitWaiters(int number) throws InterruptedException {
        Leasehold looking = StoreClient.present("the watcher", watcher);
        long start = System.nanoTime();
        List<LockInfo> seen = looking.locks(lock);
        while (seen.stream().map(LockInfo::waiters).mapToInt(List::size).sum() != number) {
            if (System.nanoTime() - start > ClientFixture.LONGEST_WAIT.toNanos()) {
                throw new AssertionError("no " + number + " waiters after " + ClientFixture.LONGEST_WAIT + ", but "
                        + seen + "; what the processes have said: " + processes);
            }
            ClientFixture.pause(Duration.ofMillis(20));
            seen = looking.locks(lock);
        }
    }
}
