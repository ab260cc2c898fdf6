package dev.leasehold.engine.observation;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.engine.threads.SystemTime;
import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import dev.leasehold.observe.ObservedClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * These tests show in which order observers learn of the events of one call, and by which thread, whatever comes first.
 */
class ObservedCallTest implements LeaseholdObserver {

    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean telling = new AtomicBoolean();
    private final BlockingQueue<Runnable> executor = new LinkedBlockingQueue<>();
    private volatile long waitedNanos;
    private final SystemTime time = new SystemTime("leasehold-test");

    @AfterEach
    void close() {
        time.close();
    }

    private ObservedCall call(Executor callbacks) {
        return call(callbacks, LockCall.Kind.WAIT, true);
    }

    private ObservedCall call(Executor callbacks, LockCall.Kind kind, boolean here) {
        Observers observers = new Observers(
                List.of(new Observers.Source(this, () -> true)),
                new ObservedClient("", "test", "test:"),
                time,
                callbacks);
        return Objects.requireNonNull(observers.ask("", "a", 1, kind, null, here));
    }

    private ObservedCall call() {
        return call(executor::add);
    }

    private void runTasks() {
        for (Runnable task = executor.poll(); task != null; task = executor.poll()) {
            task.run();
        }
    }

    /** Writes an event down; two at once would be seen. */
    private void tell(String event) {
        if (!telling.compareAndSet(false, true)) {
            told.add("two at once");
        }
        told.add(event);
        telling.set(false);
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        if (call.kind() == LockCall.Kind.ELECTION) {
            tell("asked");
        }
        return this;
    }

    @Override
    public void acquired(LockCall call, LockGrant grant) {
        tell("acquired");
    }

    @Override
    public void busy(LockCall call, Duration waited) {
        tell("busy");
        waitedNanos = waited.toNanos();
    }

    @Override
    public void withdrawn(LockCall call, Duration waited) {
        tell("withdrawn");
    }

    @Override
    public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
        tell("renewed");
    }

    @Override
    public void atRisk(LockCall call, LockGrant grant, LeaseState state) {
        tell("at risk");
    }

    @Override
    public void lost(LockCall call, LockGrant grant, Duration held) {
        tell("lost");
    }

    @Override
    public void released(LockCall call, LockGrant grant, Duration held) {
        tell("released");
    }

    @Override
    public void elected(LockCall call, LockGrant grant) {
        tell("elected");
    }

    @Override
    public void demoted(LockCall call, LockGrant grant, Duration led) {
        tell("demoted");
    }

    @Test
    void aLossBeforeTheCallerHasTheLeaseIsToldAfterIt() {
        ObservedCall call = call();
        call.atRisk(LeaseState.AT_RISK);
        call.over(LeaseState.LOST, false);
        runTasks();
        assertThat(told).isEmpty();
        call.acquired(true);
        assertThat(told).containsExactly("acquired", "at risk", "lost");
    }

    @Test
    void nothingIsToldOfAHoldThatItsCallerNeverHad() {
        ObservedCall call = call();
        call.over(LeaseState.RELEASED, false);
        call.withdrawn(false);
        call.acquired(true);
        runTasks();
        assertThat(told).containsExactly("withdrawn");
    }

    @Test
    void theWaitEndsWhenTheOutcomeIsKnownNotWhenItIsTold() {
        long before = time.nanos();
        ObservedCall call = call();
        call.settled();
        long settled = time.nanos();
        while (time.nanos() - settled < TimeUnit.MILLISECONDS.toNanos(2)) {
            Thread.onSpinWait();
        }
        call.busy(true);
        assertThat(waitedNanos).isBetween(0L, settled - before);
    }

    @Test
    void nothingIsToldAfterTheEnd() {
        ObservedCall call = call();
        call.acquired(true);
        call.over(LeaseState.RELEASED, true);
        call.renewed(1, false);
        call.over(LeaseState.LOST, false);
        call.busy(true);
        runTasks();
        assertThat(told).containsExactly("acquired", "released");
    }

    @Test
    void theEngineTellsNothingItself() {
        ObservedCall call = call();
        call.acquired(false);
        call.renewed(1, false);
        call.over(LeaseState.LOST, false);
        assertThat(told).isEmpty();
        runTasks();
        assertThat(told).containsExactly("acquired", "renewed", "lost");
    }

    @Test
    void whereTheEngineAsksThatIsToldFirst() {
        ObservedCall call = call(executor::add, LockCall.Kind.ELECTION, false);
        call.acquired(false);
        call.renewed(1, false);
        Runnable asking = executor.remove();
        runTasks();
        assertThat(told).isEmpty();
        asking.run();
        runTasks();
        assertThat(told).containsExactly("asked", "acquired", "renewed");
    }

    @Test
    void whoLeadsIsDemotedBeforeTheEnd() {
        ObservedCall call = call();
        call.acquired(true);
        call.elected();
        call.over(LeaseState.LOST, false);
        call.demoted();
        runTasks();
        assertThat(told).containsExactly("acquired", "elected", "demoted", "lost");
    }

    @Test
    void oneOutcomeAndOneEndHoweverManyCompete() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4, DaemonThreads.named("leasehold-test"));
        try {
            for (int i = 0; i < 2000; i++) {
                told.clear();
                ObservedCall call = call(threads);
                CyclicBarrier start = new CyclicBarrier(3);
                List<Future<?>> all = new ArrayList<>();
                all.add(threads.submit(() -> together(start, () -> call.acquired(true))));
                all.add(threads.submit(() -> together(start, () -> {
                    call.renewed(1, false);
                    call.over(LeaseState.LOST, false);
                })));
                all.add(threads.submit(() -> together(start, () -> {
                    call.withdrawn(false);
                    call.over(LeaseState.RELEASED, true);
                })));
                for (Future<?> each : all) {
                    each.get(A_MINUTE, TimeUnit.SECONDS);
                }
                awaitEnd();
                List<String> seen = List.copyOf(told);
                assertThat(seen).doesNotContain("two at once");
                if (seen.get(0).equals("withdrawn")) {
                    assertThat(seen).hasSize(1);
                } else {
                    assertThat(seen.get(0)).isEqualTo("acquired");
                    assertThat(seen.subList(1, seen.size() - 1)).isSubsetOf("renewed");
                    assertThat(seen.get(seen.size() - 1)).isIn("lost", "released");
                    assertThat(seen)
                            .filteredOn(each -> each.equals("lost") || each.equals("released"))
                            .hasSize(1);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void together(CyclicBarrier start, Runnable what) {
        try {
            start.await(A_MINUTE, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        what.run();
    }

    /** Waits until the end has been told and its observer has returned, lest that is taken for part of the next call. */
    private void awaitEnd() {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(A_MINUTE);
        while (!(told.contains("withdrawn") || told.contains("lost") || told.contains("released")) || telling.get()) {
            assertThat(System.nanoTime() - limit).isNegative();
            Thread.onSpinWait();
        }
    }
}
