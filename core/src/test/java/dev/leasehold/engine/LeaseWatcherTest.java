package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.threads.BodyInterrupter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests show that listeners learn of each change after they were added, once and in order, whenever their
 * executor finds time.
 */
class LeaseWatcherTest {

    private final BlockingQueue<Runnable> executor = new LinkedBlockingQueue<>();
    private final List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());
    private final Leasehold leasehold = Leasehold.builder()
            .store(new WrappedStore())
            .timeSource(new StoppedTimeSource())
            .executor(executor::add)
            .build();
    private HeldLease lease;
    private LeaseWatcher watcher;

    @BeforeEach
    void acquire() throws InterruptedException {
        lease = (HeldLease) leasehold.lock("a").acquire();
        watcher = lease.watcher();
    }

    @AfterEach
    void close() {
        leasehold.close();
    }

    private void runTasks(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            Runnable task = executor.poll(10, TimeUnit.SECONDS);
            assertThat(task).as("task %s", i).isNotNull();
            task.run();
        }
    }

    @Test
    void isToldEachChangeInOrderHoweverLateTheExecutor() throws InterruptedException {
        lease.addListener((which, state) -> told.add(state));
        watcher.stateChanged(LeaseState.AT_RISK);
        watcher.stateChanged(LeaseState.HELD);
        watcher.stateChanged(LeaseState.UNCONFIRMED);
        watcher.stateChanged(LeaseState.LOST);
        runTasks(4);
        assertThat(told).containsExactly(LeaseState.AT_RISK, LeaseState.HELD, LeaseState.UNCONFIRMED, LeaseState.LOST);
    }

    @Test
    void whoComesWhenItIsAtRiskIsToldThatItIsHeldAgain() throws InterruptedException {
        watcher.stateChanged(LeaseState.AT_RISK);
        lease.addListener((which, state) -> told.add(state));
        watcher.stateChanged(LeaseState.HELD);
        runTasks(1);
        assertThat(told).containsExactly(LeaseState.HELD);
    }

    @Test
    void whoComesAfterTheEndIsToldTheEnd() throws InterruptedException {
        watcher.stateChanged(LeaseState.AT_RISK);
        watcher.stateChanged(LeaseState.LOST);
        lease.addListener((which, state) -> told.add(state));
        runTasks(1);
        assertThat(told).containsExactly(LeaseState.LOST);
    }

    @Test
    void aListenerThatFailsDoesNotKeepOthersFromBeingTold() throws InterruptedException {
        lease.addListener((which, state) -> {
            throw new AssertionError("a listener");
        });
        lease.addListener((which, state) -> told.add(state));
        watcher.stateChanged(LeaseState.AT_RISK);
        watcher.stateChanged(LeaseState.LOST);
        runTasks(4);
        assertThat(told).containsExactly(LeaseState.AT_RISK, LeaseState.LOST);
    }

    @Test
    void aListenerThatWasRemovedIsToldNothingMore() throws InterruptedException {
        LeaseListener listener = (which, state) -> told.add(state);
        lease.addListener(listener);
        lease.addListener(listener);
        watcher.stateChanged(LeaseState.AT_RISK);
        runTasks(2);
        lease.removeListener(listener);
        watcher.stateChanged(LeaseState.HELD);
        runTasks(1);
        lease.removeListener(listener);
        lease.removeListener(listener);
        watcher.stateChanged(LeaseState.LOST);
        assertThat(told).containsExactly(LeaseState.AT_RISK, LeaseState.AT_RISK, LeaseState.HELD);
    }

    @Test
    void aListenerMayAddAListener() throws InterruptedException {
        lease.addListener((which, state) -> which.addListener((again, later) -> told.add(later)));
        watcher.stateChanged(LeaseState.AT_RISK);
        runTasks(1);
        watcher.stateChanged(LeaseState.HELD);
        runTasks(2);
        assertThat(told).containsExactly(LeaseState.HELD);
    }

    @Test
    void aBodyIsInterruptedOnceAndNotAfterItsEnd() {
        BodyInterrupter body = new BodyInterrupter();
        watcher.interrupt(body);
        watcher.stateChanged(LeaseState.AT_RISK);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        watcher.stateChanged(LeaseState.LOST);
        assertThat(Thread.interrupted()).isTrue();
        body.interrupt();
        assertThat(Thread.interrupted()).as("a second time").isFalse();
        body.ended(null);
        body.interrupt();
        assertThat(Thread.interrupted()).as("after its end").isFalse();
    }

    @Test
    void aBodyThatHasEndedIsNotInterruptedAnyMore() {
        BodyInterrupter body = new BodyInterrupter();
        watcher.interrupt(body);
        body.ended(null);
        watcher.stateChanged(LeaseState.LOST);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @DisplayName("A body that begins after the loss is interrupted, and leaves no interrupt behind")
    void aBodyThatBeginsAfterTheLossIsInterrupted() {
        watcher.stateChanged(LeaseState.LOST);
        BodyInterrupter body = new BodyInterrupter();
        watcher.interrupt(body);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        body.ended(null);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
